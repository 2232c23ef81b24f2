import {
  AccessToken,
  Failure,
  type Items,
  Settings,
  type TreeNode,
  TriggerId,
  TriggerValue,
  U64,
  UserId,
  Visibility,
} from '@canopy/domain'
import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { character, name, storagePath } from './names.js'

/** Edges of number types: the digits of doubles, signs, widths. */
const edges = [0n, 2n ** 53n - 1n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n - 1n, 2n ** 63n, U64.largest]

/** From 0 to `max`, often an edge. */
export const u64UpTo = (max: bigint): fc.Arbitrary<U64.U64> =>
  fc
    .oneof(
      { withCrossShrink: true },
      fc.bigInt({ min: 0n, max }),
      fc.constantFrom(...edges.filter((edge) => edge <= max), max),
    )
    .map(U64.clamp)

export const u64: fc.Arbitrary<U64.U64> = u64UpTo(U64.largest)

export const visibility: fc.Arbitrary<Visibility.Visibility> = fc.constantFrom(...Visibility.all)

export const nodeVisibility: fc.Arbitrary<Visibility.NodeVisibility> = fc.record(
  { inherited: fc.boolean(), visibility },
  { noNullPrototype: true },
)

export const settings: fc.Arbitrary<Settings.Settings> = fc
  .array(fc.tuple(storagePath, visibility), { maxLength: 8 })
  .map(Settings.fromEntries)

/** All seven names; `external` with any cause. */
export const failure: fc.Arbitrary<Failure.Failure> = fc.oneof(
  fc.constantFrom<Failure.Failure>(
    Failure.invalidToken,
    Failure.notVerified,
    Failure.permissionDenied,
    Failure.fileNotFound,
    Failure.typeMismatch,
    Failure.triggerNotFound,
  ),
  fc.anything().map(Failure.external),
)

export const directoryItem: fc.Arbitrary<Items.DirectoryItem> = fc
  .record(
    { visibility: nodeVisibility, is_file: fc.boolean(), name, last_modified: u64, size: u64 },
    { noNullPrototype: true },
  )
  .map((item) => (item.is_file ? item : { ...item, size: U64.zero }))

type Nodes = {
  readonly node: TreeNode.TreeNode
  readonly file: TreeNode.FileTreeNode
  readonly directory: TreeNode.DirectoryTreeNode
}

const named = <N extends TreeNode.TreeNode>(node: fc.Arbitrary<N>): fc.Arbitrary<N> =>
  node.filter(({ name }) => name !== '')

/** A file, or a directory with or without `content`. Only the top directory may have an empty name. */
export const treeNode: fc.Arbitrary<TreeNode.TreeNode> = fc.letrec<Nodes>((tie) => ({
  node: fc.oneof({ maxDepth: 4, withCrossShrink: true }, tie('file'), tie('directory')),
  file: fc.record(
    { type: fc.constant('file' as const), name, size: u64, last_modified: u64, visibility: nodeVisibility },
    { noNullPrototype: true },
  ),
  directory: fc.record(
    {
      type: fc.constant('dir' as const),
      name: fc.oneof({ weight: 3, arbitrary: name }, { weight: 1, arbitrary: fc.constant('' as const) }),
      visibility: nodeVisibility,
      content: fc.array(named(tie('node')), { maxLength: 4 }),
    },
    { requiredKeys: ['type', 'name', 'visibility'], noNullPrototype: true },
  ),
})).node

const key = fc.constantFrom('value', 'id', 'content', 'a b', '', '__proto__', 'constructor', '\u00e9', '\u0000', 'Type')
const space = fc.constantFrom('', ' ', '\n  ')

const scalar = fc.oneof(
  { withCrossShrink: true },
  fc.constantFrom('null', 'true', 'false', '0', '-0', '1.0', '1E+400', '1e-7', '0.1000'),
  fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }).map(String),
  fc.string({ unit: character, maxLength: 8 }).map((text) => JSON.stringify(text)),
  fc.constantFrom('"\\u0000"', '"\\ud800"', '"\\/"', '"type"'),
)

type Json = {
  readonly value: string
  readonly members: ReadonlyArray<string>
}

/** Names are unique, because parsers disagree about a second field with one name. */
const { members } = fc.letrec<Json>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }).map((values) => `[${values.join(',')}]`),
    tie('members').map((texts) => `{${texts.join(',')}}`),
  ),
  members: fc
    .uniqueArray(fc.tuple(key, space, tie('value')), { maxLength: 4, selector: ([name]) => name })
    .map((fields) => fields.map(([name, gap, text]) => `${JSON.stringify(name)}:${gap}${text}`)),
}))

const type = fc
  .oneof({ withCrossShrink: true }, fc.constantFrom('string', 'link', ''), fc.string({ maxLength: 8 }))
  .map((text) => `"type":${JSON.stringify(text)}`)

/** Text as people write it: `type` anywhere, white space, nesting, more digits than a double has. */
export const triggerValue: fc.Arbitrary<TriggerValue.TriggerValue> = fc
  .record({ type, others: members, typeStandsAt: fc.nat({ max: 4 }), space })
  .map(({ type: typeField, others, typeStandsAt, space: gap }) =>
    [...others.slice(0, typeStandsAt), typeField, ...others.slice(typeStandsAt)].join(`,${gap}`),
  )
  .map((fields) => TriggerValue.fromJson(`{${fields}}`))
  .filter(E.isRight)
  .map(({ right }) => right)

export const accessToken: fc.Arbitrary<AccessToken.AccessToken> = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes) => `cnp_${Buffer.from(bytes).toString('base64url')}`)
  .filter(AccessToken.is)

export const userId: fc.Arbitrary<UserId.UserId> = u64.filter(UserId.is)

export const triggerId: fc.Arbitrary<TriggerId.TriggerId> = fc
  .oneof({ withCrossShrink: true }, fc.stringMatching(/^[a-z0-9_-]{1,12}$/), name)
  .filter(TriggerId.is)

/** Credentials that no account, token or trigger can have. */
const undecodable = ['%', '%zz', '%00', '%FF', '%C3%28', '%ED%A0%80', '%2F', 'a%2Fb']

const nearlyTokens = ['cnp_', `cnp_${'A'.repeat(42)}`, `cnp_${'A'.repeat(44)}`, 'A'.repeat(43)]
// The last character has unused bits: a second spelling of another token.
const surplusBits = `cnp_${'A'.repeat(42)}B`

export const malformedToken: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom('x', surplusBits, ...nearlyTokens, ...undecodable),
  accessToken.map((token) => token.replace('cnp_', 'CNP_')),
)

const nearlyNumbers = ['-1', '+1', '00', '042', '1.0', '1e3', '0x1', 'me', '%200', '%D9%A1', '18446744073709551616']

export const malformedUser: fc.Arbitrary<string> = fc.constantFrom(...nearlyNumbers, ...undecodable)

export const malformedTrigger: fc.Arbitrary<string> = fc.constantFrom('x'.repeat(256), ...undecodable)
