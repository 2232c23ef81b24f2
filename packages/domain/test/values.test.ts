import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import * as t from 'io-ts'
import { parse, parseNumberAndBigInt } from 'lossless-json'
import { describe, expect, it } from 'vitest'
import { name, spelling, storagePath } from '../../testkit/src/arbitraries/names.js'
import { namePattern } from '../../testkit/src/arbitraries/rules.js'
import * as any from '../../testkit/src/arbitraries/values.js'
import * as AccessToken from '../src/AccessToken.js'
import * as Area from '../src/Area.js'
import * as Envelope from '../src/Envelope.js'
import * as Failure from '../src/Failure.js'
import * as Items from '../src/Items.js'
import * as Name from '../src/Name.js'
import * as NamePattern from '../src/NamePattern.js'
import * as StoragePath from '../src/StoragePath.js'
import * as TreeNode from '../src/TreeNode.js'
import * as TriggerId from '../src/TriggerId.js'
import * as TriggerValue from '../src/TriggerValue.js'
import * as U64 from '../src/U64.js'
import * as UserId from '../src/UserId.js'
import * as Visibility from '../src/Visibility.js'
import { area, name as nameOf, u64 } from './support.js'

const failureNames = [
  'invalid token',
  'not verified',
  'permission denied',
  'file not found',
  'type mismatch',
  'external',
  'trigger not found',
] as const

const { external, fileNotFound, invalidToken, notVerified, permissionDenied, triggerNotFound, typeMismatch } = Failure
const access = [invalidToken, notVerified, permissionDenied]
const failures = [...access, fileNotFound, typeMismatch, external('EIO'), triggerNotFound]

const roundTrip = <A, Output>(name: string, codec: t.Type<A, Output, unknown>, values: fc.Arbitrary<A>) => {
  const check = (value: A) => {
    expect([codec.is(value), codec.decode(codec.encode(value))]).toStrictEqual([true, E.right(value)])
  }
  return { name, codecName: codec.name, check: () => fc.assert(fc.property(values, check)) }
}

const enveloped = <const Type, A>(type: Type, contents: fc.Arbitrary<A>) =>
  contents.map((content) => ({ type, content }))

it.each([
  roundTrip('TreeEnvelope', Envelope.treeCodec, enveloped('tree', any.treeNode)),
  roundTrip('DirContentEnvelope', Envelope.dirContentCodec, enveloped('dir content', fc.array(any.directoryItem))),
  roundTrip('AccessToken', AccessToken.codec, any.accessToken),
  roundTrip('DirectoryItem', Items.codec, any.directoryItem),
  roundTrip('FailureName', Failure.nameCodec, fc.constantFrom(...failureNames)),
  roundTrip('Name', Name.codec, name),
  roundTrip('NamePattern', NamePattern.codec, namePattern),
  roundTrip('NodeVisibility', Visibility.nodeCodec, any.nodeVisibility),
  roundTrip('StoragePath', StoragePath.codec, storagePath),
  roundTrip('TreeNode', TreeNode.codec, any.treeNode),
  roundTrip('TriggerId', TriggerId.codec, any.triggerId),
  roundTrip('TriggerValue', TriggerValue.codec, any.triggerValue),
  roundTrip('U64', U64.codec, any.u64),
  roundTrip('UserId', UserId.codec, any.userId),
  roundTrip('Visibility', Visibility.codec, any.visibility),
])('the codec of $name decodes what it encodes', ({ name, codecName, check }) => {
  expect(codecName).toBe(name)
  check()
})

const letters = 'A'.repeat(42)
const notAName = 'must be 1 to 255 bytes of UTF-8 without "/" or NUL, and not "." or ".."'
const notAnId = 'must be a whole number from 0 to 18446744073709551615, without leading zeros'
const notText = [1, null, undefined, ['a']]
const visibility = { inherited: false, visibility: 'public' } as const
const item = { visibility, is_file: true, name: 'a', last_modified: 1, size: 1 }
const file: TreeNode.FileTreeNode = {
  type: 'file',
  name: nameOf('a\n\u{1f600}'),
  size: u64(2n ** 64n - 1n),
  last_modified: u64(2n ** 53n + 1n),
  visibility,
}
const nameless = { type: 'dir', name: '', visibility } as const
const directory = { type: 'dir', name: nameOf('d'), visibility } as const

const refusing = (codec: t.Any, message: string | undefined, ...refused: ReadonlyArray<ReadonlyArray<unknown>>) => ({
  name: codec.name,
  codec,
  message,
  refused: refused.flat(),
})

it.each([
  refusing(
    AccessToken.codec,
    'must be "cnp_" and 43 characters of base64url',
    ['', 'cnp_', `${letters}A`, `xcnp_${letters}A`, `CNP_${letters}A`, `cnp_${letters}`, `cnp_${letters}AA`],
    // Plain base64, padding, a newline at the end.
    [`cnp_${letters.slice(1)}+A`, `cnp_${letters}A=`, `cnp_${letters}A\n`],
    [[`cnp_${letters}A`], 1, null, undefined],
  ),
  refusing(
    Name.codec,
    notAName,
    ['', 'x'.repeat(256), '\u00e9'.repeat(128), '\u{1f600}'.repeat(64), '.', '..', 'a/b', 'a\0b'],
    // Lone surrogates, and two in the wrong order.
    ['a\ud83d', '\ude00a', '\ude00\ud83d'],
    notText,
  ),
  refusing(
    StoragePath.codec,
    'must be "/" or "/name/name", of at most 255 names and 4,096 bytes',
    ['', 'a', 'ab', 'a/b', 'ab/c', '//', '/a/', '//a', '/a//b', '/.', '/..', '/a/../b', '/a/./b', '/a\0', '/\ud800'],
    notText,
  ),
  refusing(TriggerId.codec, notAName, ['a/b', ...notText]),
  refusing(
    NamePattern.codec,
    'must be 1 to 255 bytes of UTF-8 without "/" or NUL, and must not end in a single "\\"',
    ['', '/', 'a/b', 'a\0', '\ud800', '\\', 'a\\', '\\\\\\', 'x'.repeat(256), '\u00e9'.repeat(128)],
    notText,
  ),
  refusing(UserId.codec, notAnId, ['042', '', 42, null]),
  refusing(
    U64.codec,
    'must be an integer from 0 to 2^64-1, held exactly',
    [2 ** 53, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, -1n, 2n ** 64n],
    ['1', null, undefined, {}],
  ),
  refusing(TriggerValue.codec, 'a trigger value must be JSON', ['{"type":"a"', '', "{'type':'a'}"]),
  refusing(TriggerValue.codec, 'a trigger value must be a JSON object', ['null', '"type"', '[{"type":"a"}]']),
  refusing(TriggerValue.codec, 'a trigger value must have a "type" field that is a string', [
    '{}',
    '{"type":1}',
    '{"Type":"a"}',
    '{"__proto__":{"type":"a"}}',
  ]),
  refusing(TriggerValue.codec, 'a trigger value must be JSON text', [{ type: 'a' }, null, 1]),
  refusing(Visibility.codec, undefined, ['Public', 'secret', ' public', 'toString', '__proto__', '', 0, null]),
  refusing(
    Visibility.nodeCodec,
    undefined,
    [{}, { inherited: true }, { visibility: 'public' }, null],
    [
      { inherited: 'true', visibility: 'public' },
      { inherited: true, visibility: 'secret' },
    ],
  ),
  refusing(Failure.nameCodec, undefined, ['bad request', 'External', '', 'toString', null]),
  refusing(
    Items.codec,
    undefined,
    [{ name: 'a/b' }, { size: 2 ** 53 }, { last_modified: -1 }, { visibility: undefined }, { is_file: 1 }].map(
      (wrong) => ({ ...item, ...wrong }),
    ),
  ),
  refusing(
    TreeNode.codec,
    undefined,
    [{ type: 'link' }, { name: '' }, { size: undefined }].map((wrong) => ({ ...file, ...wrong })),
    [{ visibility: undefined }, { name: undefined }, { name: '..' }].map((wrong) => ({ ...directory, ...wrong })),
    [{ content: [{}] }, { content: {} }, { content: [nameless] }].map((wrong) => ({ ...nameless, ...wrong })),
    [{ ...directory, content: [{ ...directory, content: [nameless] }] }],
  ),
  refusing(Envelope.treeCodec, undefined, [{ type: 'tree' }, { type: 'tree', content: {} }]),
  refusing(Envelope.dirContentCodec, undefined, [{ type: 'tree', content: [] }]),
  refusing(
    Envelope.triggerPeakCodec,
    undefined,
    [{ type: 'trigger peak', value: {} }],
    [{ type: 'trigger peek', value: { type: 'a' } }],
  ),
  refusing(Envelope.errorCodec, undefined, [{ type: 'error', error: 'bad request' }]),
])('the codec of $name refuses all else: $message', ({ codec, refused, message }) => {
  for (const u of refused) {
    const decoded = codec.decode(u)
    const messages = E.isLeft(decoded) ? decoded.left.map((error) => error.message) : undefined
    const expected = message === undefined ? (messages ?? []) : [message]
    expect([u, codec.is(u), messages]).toStrictEqual([u, false, expected])
  }
})

it('guards accept no other text or number', () => {
  const texts = ['garbage', '{}', '{"type":"b"}', '["a"]', 1].map((json) => ({ type: 'a', json }))
  const others = [{ json: '{}' }, { type: 1, json: '{}' }, { type: 'a' }, Object.assign([], { type: 'a', json: '{}' })]
  expect([...texts, ...others, { type: 'a', json: ['{"type":"a"}'] }].filter(TriggerValue.codec.is)).toStrictEqual([])
  expect([1, '1', {}].filter(U64.is)).toStrictEqual([])
  expect(E.isLeft(UserId.codec.decode(42n))).toBe(true)
})

it('a token, a user id and a trigger id in a request target are decoded once', () => {
  fc.assert(
    fc.property(any.accessToken, any.userId, any.triggerId, spelling, (token, user, trigger, spell) => {
      expect(AccessToken.fromRawSegment(spell(token))).toStrictEqual(O.some(token))
      expect(UserId.fromRawSegment(spell(UserId.toDecimal(user)))).toStrictEqual(O.some(user))
      expect(TriggerId.fromRawSegment(spell(trigger))).toStrictEqual(O.some(trigger))
    }),
  )
})

it('a malformed token, user id or trigger id in a request target is refused', () => {
  fc.assert(
    fc.property(any.malformedToken, any.malformedUser, any.malformedTrigger, (token, user, trigger) => {
      expect(AccessToken.fromRawSegment(token)).toStrictEqual(O.none)
      expect(UserId.fromRawSegment(user)).toStrictEqual(O.none)
      expect(TriggerId.fromRawSegment(trigger)).toStrictEqual(O.none)
    }),
  )
})

it('a token has one spelling: its last character carries no surplus bits', () => {
  const alphabet = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_')
  const canonical = alphabet.filter((last) => AccessToken.is(`cnp_${letters}${last}`))
  expect(canonical).toStrictEqual(alphabet.filter((_, bits) => bits % 4 === 0))
})

it('a refused token or trigger id is not repeated in the failure', () => {
  const almost = `cnp_${letters}`
  const decoded = t.type({ token: AccessToken.codec }).decode({ token: almost })
  const refused = [AccessToken.codec.decode(almost), decoded, TriggerId.codec.decode(`${letters}/`)]
  expect(JSON.stringify(refused)).not.toContain(letters)
  expect(E.isLeft(decoded) && decoded.left[0]?.context.map(({ key, actual }) => [key, actual])).toStrictEqual([
    ['', '(not shown)'],
    ['token', '(not shown)'],
  ])
})

describe('an unsigned 64-bit integer', () => {
  it('outside the range becomes the nearer bound', () => {
    const largest = 2n ** 64n - 1n
    fc.assert(
      fc.property(fc.bigInt({ min: -largest, max: 2n * largest }), (n) => {
        const clamped = U64.clamp(n)
        expect(clamped).toBe(n < 0n ? 0n : n > largest ? largest : n)
        expect(U64.fromBigInt(n)).toStrictEqual(clamped === n ? O.some(n) : O.none)
      }),
    )
  })

  it('is exact in text and in JSON', () => {
    const edges = [0n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 64n - 1n].map(U64.clamp)
    fc.assert(
      fc.property(fc.oneof(any.u64, fc.constantFrom(...edges)), (n) => {
        expect(U64.fromDecimal(n.toString())).toStrictEqual(O.some(n))
        expect(U64.json(n)).toBe(String(n))
        expect(U64.codec.decode(parse(String(n), undefined, parseNumberAndBigInt))).toStrictEqual(E.right(n))
      }),
    )
    expect(U64.codec.decode(Number.MAX_SAFE_INTEGER)).toStrictEqual(E.right(2n ** 53n - 1n))
    expect(U64.codec.decode(-0)).toStrictEqual(E.right(0n))
  })

  const digits = ['', '-1', '+1', '00', '042', ' 1', '1 ', '1\n', '1.0', '1e3', '0x1', '\u0661', '18446744073709551616']
  it.each([...digits, '9'.repeat(21)])('is canonical in text: not %j', (text) => {
    expect(U64.fromDecimal(text)).toStrictEqual(O.none)
  })
})

it.each([
  '{"type":"a","n":123456789012345678901234567890}',
  '{ "b" : 1.0 ,\n"type":"a", "a":-0}',
  '{"type":"\\u0061"}',
  '{"type":"a","__proto__":{"type":1}}',
])('the value of a trigger keeps its text: %s', (json) => {
  expect(TriggerValue.fromJson(json)).toStrictEqual(E.right({ type: 'a', json }))
})

it('a failure has a name of the interface, and is matched by its case', () => {
  const cases = Object.fromEntries(failureNames.map((of) => [of, (given: Failure.Failure) => [of, given]]))
  const matched = Failure.match(cases as Parameters<typeof Failure.match>[0])
  expect(failures.map(matched)).toStrictEqual(failureNames.map((of, index) => [of, failures[index]]))
})

describe('the envelopes', () => {
  const parsed = (json: string) => parse(json, undefined, parseNumberAndBigInt)
  const { dirContentCodec, errorCodec, treeCodec, triggerPeakCodec } = Envelope

  it('have the types of the interface, with exact values', () => {
    fc.assert(
      fc.property(any.treeNode, fc.array(any.directoryItem), (node, items) => {
        const tree = { type: 'tree', content: node } as const
        expect(treeCodec.decode(parsed(Envelope.treeJson(node)))).toStrictEqual(E.right(tree))
        const listing = { type: 'dir content', content: items } as const
        expect(dirContentCodec.decode(parsed(Envelope.dirContentJson(items)))).toStrictEqual(E.right(listing))
      }),
    )
  })

  it('of a peek and of an error have the text of the value and the name', () => {
    fc.assert(
      fc.property(any.triggerValue, any.failure, (value, { error }) => {
        const peak = Envelope.triggerPeakJson(value)
        expect(peak).toBe(`{"type":"trigger peak","value":${value.json}}`)
        expect(triggerPeakCodec.decode(JSON.parse(peak))).toEqual(E.right(JSON.parse(peak)))
        expect(Envelope.errorJson(error)).toBe(`{"type":"error","error":"${error}"}`)
        expect(errorCodec.decode({ type: 'error', error })).toStrictEqual(E.right({ type: 'error', error }))
      }),
    )
  })
})

it.each([
  [{ type: 'dir' }, false, 0n],
  [{ type: 'file', size: u64(3n) }, true, 3n],
] as const)('an item of a listing tells files from directories, whose size is 0: %o', (entry, is_file, size) => {
  const fields = { name: nameOf('a'), last_modified: u64(7n) }
  expect(Items.fromEntry({ ...entry, ...fields }, visibility)).toStrictEqual({ ...fields, visibility, is_file, size })
})

it.each([
  [true, {}],
  [false, { owner: u64(8n) as UserId.UserId }],
  [false, { location: Area.location('there') }],
  [false, { isMountPoint: true }],
])('areas are the same by value: %s with %o', (expected, change) => {
  expect(Area.isSame(area, { ...area, ...change })).toBe(expected)
})

it('a node of a tree drops the fields of the other kind', () => {
  expect(TreeNode.codec.decode({ ...file, content: [file], colour: 'red' })).toStrictEqual(E.right(file))
  const decoded = TreeNode.codec.decode({ ...directory, content: [{ ...file, content: [] }], size: 1n })
  expect(decoded).toStrictEqual(E.right({ ...directory, content: [file] }))
})
