import { StoragePath, U64, UserId } from '@canopy/domain'
import * as fc from 'fast-check'
import { identity } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import type { World, WorldAccount, WorldDirectory, WorldFile, WorldNode, WorldOther, WorldTrigger } from '../World.js'
import { alike, name } from './names.js'
import { rule } from './rules.js'
import { accessToken, triggerId, triggerValue, u64UpTo, userId, visibility } from './values.js'

/** Keeps the first value per key. */
const distinctBy = <A>(key: (a: A) => string, all: ReadonlyArray<A>): ReadonlyArray<A> =>
  all.filter((a, at) => all.findIndex((other) => key(other) === key(a)) === at)

/** Returns one of these values, chosen by weight. */
export const weighted = <const A>(...all: ReadonlyArray<readonly [weight: number, value: A]>): fc.Arbitrary<A> =>
  fc.oneof(...all.map(([weight, value]) => ({ weight, arbitrary: fc.constant(value) })))

/** A real disk has a smaller range than the interface. */
export interface WorldBounds {
  readonly maxSize?: bigint
  readonly maxTime?: bigint
  /** Whether to lock some directories and kill some entries. False by default. */
  readonly faults?: boolean
}

type Nodes = {
  readonly file: WorldFile
  readonly dir: WorldDirectory
  readonly other: WorldOther
  /** A file or a directory. */
  readonly findable: WorldFile | WorldDirectory
  readonly content: WorldNode[]
}

const nodeName = fc.oneof({ withCrossShrink: true }, { weight: 2, arbitrary: alike }, { weight: 1, arbitrary: name })

// Leaves room for the invalid bytes of an undecodable name.
const other: fc.Arbitrary<WorldOther> = fc.oneof(
  fc.record({ type: fc.constantFrom('fifo', 'undecodable'), name: alike }, { noNullPrototype: true }),
  fc.record(
    { type: fc.constant('link'), name: alike, target: fc.constantFrom('a', '.', '..', '/', '../a', 'missing') },
    { noNullPrototype: true },
  ),
)

const dead: fc.Arbitrary<WorldOther> = fc.record({ type: fc.constant('dead'), name: alike }, { noNullPrototype: true })

const locking = (directory: fc.Arbitrary<WorldDirectory>): fc.Arbitrary<WorldDirectory> =>
  fc
    .tuple(directory, weighted([23, false], [1, true]))
    .map(([each, isLocked]) => (isLocked ? { ...each, locked: true } : each))

const nodes = ({ maxSize = U64.largest, maxTime = U64.largest, faults = false }: WorldBounds) =>
  fc.letrec<Nodes>((tie) => ({
    file: fc.record(
      { type: fc.constant('file'), name: nodeName, size: u64UpTo(maxSize), last_modified: u64UpTo(maxTime) },
      { noNullPrototype: true },
    ),
    dir: (faults ? locking : identity)(
      fc.record(
        { type: fc.constant('dir'), name: nodeName, last_modified: u64UpTo(maxTime), content: tie('content') },
        { noNullPrototype: true },
      ),
    ),
    other: faults
      ? fc.oneof({ withCrossShrink: true }, { weight: 9, arbitrary: other }, { weight: 1, arbitrary: dead })
      : other,
    findable: fc.oneof({ maxDepth: 4, withCrossShrink: true }, tie('file'), tie('dir')),
    content: fc.uniqueArray(
      fc.oneof({ weight: 8, arbitrary: tie('findable') }, { weight: 1, arbitrary: tie('other') }),
      { maxLength: 5, selector: (node) => node.name },
    ),
  }))

/** Two names with a common prefix; `-`, `.` and space sort before `/`, the others after it. */
const prefixSharing = fc.record({
  stem: fc.constantFrom('a', 'photos', '0', '\u00e9', '\u{1f600}'),
  more: fc.constantFrom('.', 'b', '-b', ' ', '2', '%2F', '\u0301', '\u{10000}'),
})

/** Generates the content of an area. It always contains two siblings with a common prefix. */
const worldNodes = (bounds: WorldBounds = {}): fc.Arbitrary<ReadonlyArray<WorldNode>> => {
  const { findable, content } = nodes(bounds)
  return fc
    .record({ first: findable, second: findable, others: content, names: prefixSharing })
    .map(({ first, second, others, names: { stem, more } }) => [
      ...others.filter((node) => node.name !== stem && node.name !== `${stem}${more}`),
      { ...second, name: `${stem}${more}` },
      { ...first, name: stem },
    ])
}

/** A path relative to the nodes of an area, chosen before the area, so that both shrink independently. */
export interface Place {
  /** The index of a node, modulo their number; 0 is the root. */
  readonly node: number
  /** Appended to the name of the node: names a sibling with a common prefix, or a missing node. */
  readonly suffix: string
  /** Names below the node, which may be a file or lack such a child. */
  readonly below: ReadonlyArray<string>
}

const pathsBelow = (parent: string, nodes: ReadonlyArray<WorldNode>): ReadonlyArray<string> =>
  nodes.flatMap((node) => {
    const path = `${parent}/${node.name}`
    return node.type === 'dir' ? [path, ...pathsBelow(path, node.content)] : [path]
  })

/** Returns the paths of all nodes and of the root, even of nodes that a request cannot find. */
export const pathsOf = (area: WorldAccount['area']): ReadonlyArray<string> => [
  '/',
  ...pathsBelow('', area === 'missing' ? [] : area),
]

/** Returns the path of a place in an area with these paths. */
export const locate =
  (paths: ReadonlyArray<string>) =>
  ({ node, suffix, below }: Place): StoragePath.StoragePath => {
    const path = paths[node % paths.length] ?? '/'
    const named = path === '/' ? '' : `${path}${suffix}`
    return O.getOrElse(() => StoragePath.root)(
      StoragePath.fromString(`${named}/${below.join('/')}`.replace(/(?<=.)\/$/, '')),
    )
  }

const rarely = <A>(usual: A, rare: fc.Arbitrary<A>): fc.Arbitrary<A> =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: rare })

/** Mostly an existing node; sometimes missing, below a file, or with a common prefix. */
export const place: fc.Arbitrary<Place> = fc.record({
  node: fc.nat({ max: 30 }),
  suffix: rarely('', fc.constantFrom('.', 'b', '2')),
  below: rarely<ReadonlyArray<string>>([], fc.array(alike, { minLength: 1, maxLength: 2 })),
})

const root: Place = { node: 0, suffix: '', below: [] }

const token = fc.record({
  token: accessToken,
  scope: fc.oneof({ withCrossShrink: true }, fc.constant(root), place),
  state: weighted([8, 'valid'], [1, 'expired'], [1, 'revoked']),
})

const setting = fc.record({
  path: fc.oneof({ weight: 1, arbitrary: fc.constant(root) }, { weight: 4, arbitrary: place }),
  visibility,
})

const often = <A>(some: fc.Arbitrary<ReadonlyArray<A>>): fc.Arbitrary<ReadonlyArray<A>> =>
  fc.oneof({ withCrossShrink: true }, { weight: 1, arbitrary: fc.constant([]) }, { weight: 9, arbitrary: some })

/** Rules match some names. Settings and scopes are on nodes, on missing paths, below files, and on names with a common prefix. */
export const worldAccount = (bounds: WorldBounds = {}): fc.Arbitrary<WorldAccount> =>
  fc
    .record({
      id: userId.map(UserId.toDecimal),
      verified: weighted([5, true], [1, false]),
      tokens: often(fc.array(token, { minLength: 1, maxLength: 3 })),
      settings: often(fc.array(setting, { minLength: 1, maxLength: 8 })),
      rules: fc.oneof(
        { withCrossShrink: true },
        fc.constant([]),
        fc.uniqueArray(rule, { minLength: 1, maxLength: 3, selector: ({ pattern }) => pattern }),
      ),
      area: fc.oneof(
        { weight: 14, arbitrary: worldNodes(bounds) },
        { weight: 1, arbitrary: fc.constant('missing' as const) },
      ),
    })
    .map((account) => {
      const at = locate(pathsOf(account.area))
      return {
        ...account,
        tokens: account.tokens.map((each) => ({ ...each, scope: at(each.scope) })),
        settings: distinctBy(
          ({ path }) => path,
          account.settings.map((each) => ({ ...each, path: at(each.path) })),
        ),
      }
    })

const worldTrigger: fc.Arbitrary<WorldTrigger> = fc.record(
  { id: triggerId, value: triggerValue.map(({ json }) => json), state: fc.constantFrom('valid', 'expired', 'deleted') },
  { noNullPrototype: true },
)

/** Whole worlds of one to three accounts. Account ids, tokens, trigger ids and names of siblings are unique. */
export const world = (bounds: WorldBounds = {}): fc.Arbitrary<World> =>
  fc
    .record({
      accounts: fc.uniqueArray(worldAccount(bounds), { minLength: 1, maxLength: 3, selector: ({ id }) => id }),
      triggers: fc.uniqueArray(worldTrigger, { maxLength: 3, selector: ({ id }) => id }),
    })
    .map(({ accounts, triggers }) => {
      const tokens = distinctBy(
        ({ token }) => token,
        accounts.flatMap((account) => account.tokens),
      )
      const distinct = (account: WorldAccount): WorldAccount => ({
        ...account,
        tokens: account.tokens.filter((token) => tokens.includes(token)),
      })
      return { accounts: accounts.map(distinct), triggers }
    })
