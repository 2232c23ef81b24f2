import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import * as t from 'io-ts'
import { parse, parseNumberAndBigInt } from 'lossless-json'
import { describe, expect, it } from 'vitest'
import { name, spelling, storagePath } from '../../testkit/src/arbitraries/names.js'
import * as any from '../../testkit/src/arbitraries/values.js'
import * as AccessToken from '../src/AccessToken.js'
import * as Envelope from '../src/Envelope.js'
import * as Failure from '../src/Failure.js'
import * as DirectoryItem from '../src/Items.js'
import * as Name from '../src/Name.js'
import * as StoragePath from '../src/StoragePath.js'
import * as TreeNode from '../src/TreeNode.js'
import * as TriggerId from '../src/TriggerId.js'
import * as TriggerValue from '../src/TriggerValue.js'
import * as U64 from '../src/U64.js'
import * as UserId from '../src/UserId.js'
import * as Visibility from '../src/Visibility.js'

const failureNames = fc.constantFrom(
  'invalid token',
  'not verified',
  'permission denied',
  'file not found',
  'type mismatch',
  'external',
  'trigger not found',
)

const row = <A, Output>(of: string, codec: t.Type<A, Output, unknown>, values?: fc.Arbitrary<A>) => ({
  of,
  name: codec.name,
  /** A value that its codec does not recognise, or that is another after encoding and decoding. */
  broken: () =>
    values &&
    fc.check(
      fc.property(values, (value) => {
        expect(codec.is(value)).toBe(true)
        expect(codec.decode(codec.encode(value))).toStrictEqual(E.right(value))
      }),
    ).counterexample,
})

describe.each([
  row('AccessToken', AccessToken.codec, any.accessToken),
  row('DirectoryItem', DirectoryItem.codec, any.directoryItem),
  row('DirContentEnvelope', Envelope.dirContentCodec),
  row('ErrorEnvelope', Envelope.errorCodec),
  row('TreeEnvelope', Envelope.treeCodec),
  row('TriggerPeakEnvelope', Envelope.triggerPeakCodec),
  row('FailureName', Failure.nameCodec, failureNames),
  row('Name', Name.codec, name),
  row('NodeVisibility', Visibility.nodeCodec, any.nodeVisibility),
  row('StoragePath', StoragePath.codec, storagePath),
  row('FileTreeNode', TreeNode.fileCodec),
  row('TreeNode', TreeNode.codec, any.treeNode),
  row('TriggerId', TriggerId.codec, any.triggerId),
  row('TriggerValue', TriggerValue.codec, any.triggerValue),
  row('U64', U64.codec, any.u64),
  row('UserId', UserId.codec, any.userId),
  row('Visibility', Visibility.codec, any.visibility),
])('the codec of $of', ({ of, name: shown, broken }) => {
  it('has the name of its type, which a report of errors shows', () => {
    expect(shown).toBe(of)
  })

  it('decodes what it encodes', () => {
    expect(broken() ?? null).toBeNull()
  })
})

const letters = 'A'.repeat(42)
const notAName = 'must be 1 to 255 bytes of UTF-8 without "/" and NUL, not "." or ".."'
const notText = [1, null, undefined, ['a']]
const item = {
  visibility: { inherited: true, visibility: 'public' },
  is_file: true,
  name: 'a',
  last_modified: 1,
  size: 1,
}

const refusing = <A, Output>(
  codec: t.Type<A, Output, unknown>,
  message: string | undefined,
  ...refused: ReadonlyArray<ReadonlyArray<unknown>>
) => ({
  of: codec.name,
  refused: refused.flat(),
  message,
  is: (u: unknown) => codec.is(u),
  messagesFor: (u: unknown) =>
    E.match(
      (errors: t.Errors) => errors.map((error) => error.message),
      () => undefined,
    )(codec.decode(u)),
})

describe.each([
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
  refusing(TriggerId.codec, notAName, ['a/b'], notText),
  refusing(UserId.codec, 'must be a whole number from 0 to 18446744073709551615, without leading zeros', [
    '042',
    '',
    42,
    null,
  ]),
  refusing(
    U64.codec,
    'must be an integer from 0 to 2^64-1, held exactly',
    [2 ** 53, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY],
    ['1', null, undefined, {}, -1n, 2n ** 64n],
  ),
  refusing(TriggerValue.codec, 'a trigger value must be JSON', ['{"type":"a"', '', "{'type':'a'}"]),
  refusing(TriggerValue.codec, 'a trigger value must be a JSON object', ['null', '"type"', '[{"type":"a"}]']),
  refusing(TriggerValue.codec, 'a trigger value must have a field "type" that is a string', [
    '{}',
    '{"type":1}',
    '{"Type":"a"}',
    '{"__proto__":{"type":"a"}}',
  ]),
  refusing(TriggerValue.codec, 'a trigger value must be JSON text', [{ type: 'a' }, null, 1]),
  refusing(
    Visibility.codec,
    undefined,
    ['Public', 'PRIVATE', 'secret', ' public', 'toString', '__proto__'],
    ['', 0, null],
  ),
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
    DirectoryItem.codec,
    undefined,
    [{ name: 'a/b' }, { size: 2 ** 53 }, { last_modified: -1 }, { visibility: undefined }].map((wrong) => ({
      ...item,
      ...wrong,
    })),
  ),
  refusing(Envelope.treeCodec, undefined, [{ type: 'tree' }, { type: 'tree', content: {} }]),
  refusing(Envelope.dirContentCodec, undefined, [{ type: 'tree', content: [] }]),
  refusing(Envelope.triggerPeakCodec, undefined, [
    { type: 'trigger peak', value: {} },
    { type: 'trigger peek', value: { type: 'a' } },
  ]),
  refusing(Envelope.errorCodec, undefined, [{ type: 'error', error: 'bad request' }]),
])('the codec of $of', ({ refused, message, is, messagesFor }) => {
  it(`refuses what is none, and says why: ${message}`, () => {
    for (const u of refused) {
      const messages = messagesFor(u)
      expect([u, is(u), messages]).toStrictEqual([u, false, message === undefined ? (messages ?? []) : [message]])
    }
  })
})

it('is recognised only as it is: a number is no exact integer, nor is text the value of a trigger', () => {
  const values = ['garbage', '{}', '{"type":"b"}', '["a"]', 1].map((json) => ({ type: 'a', json }))
  const others = [{ json: '{}' }, { type: 1, json: '{}' }, { type: 'a' }, Object.assign([], { type: 'a', json: '{}' })]
  expect([...values, ...others].filter(TriggerValue.codec.is)).toStrictEqual([])
  expect([1, '1', {}].filter(U64.is)).toStrictEqual([])
})

const credential = <A>(
  of: string,
  fromRawSegment: (raw: string) => O.Option<A>,
  values: fc.Arbitrary<A>,
  textOf: (value: A) => string,
  malformed: fc.Arbitrary<string>,
) => ({
  of,
  spelled: fc
    .tuple(values, spelling)
    .map(([value, spell]): readonly [unknown, unknown] => [fromRawSegment(spell(textOf(value))), O.some(value)]),
  refused: malformed.map((raw): unknown => fromRawSegment(raw)),
})

describe.each([
  credential('token', AccessToken.fromRawSegment, any.accessToken, String, any.malformedToken),
  credential('user id', UserId.fromRawSegment, any.userId, UserId.toDecimal, any.malformedUser),
  credential('trigger id', TriggerId.fromRawSegment, any.triggerId, String, any.malformedTrigger),
])('a $of in a request target', ({ spelled, refused }) => {
  it('is percent-decoded once, strictly', () => {
    fc.assert(
      fc.property(spelled, ([found, expected]) => {
        expect(found).toStrictEqual(expected)
      }),
    )
  })

  it('is none when it is malformed', () => {
    fc.assert(
      fc.property(refused, (found) => {
        expect(found).toStrictEqual(O.none)
      }),
    )
  })
})

describe('a token', () => {
  it('has one spelling: the last character carries no surplus bits', () => {
    const alphabet = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_')
    const canonical = alphabet.filter((last) => AccessToken.is(`cnp_${letters}${last}`))
    expect(canonical).toStrictEqual(alphabet.filter((_, bits) => bits % 4 === 0))
  })

  it('and a trigger id are secrets: a refusal says where and why, and repeats neither the text nor what it is in', () => {
    const almost = `cnp_${letters}`
    const decoded = t.type({ token: AccessToken.codec }).decode({ token: almost })
    const refused = [AccessToken.codec.decode(almost), decoded, TriggerId.codec.decode(`${letters}/`)]
    expect(JSON.stringify(refused)).not.toContain(letters)
    expect(E.isLeft(decoded) && decoded.left[0]?.context.map(({ key, actual }) => [key, actual])).toStrictEqual([
      ['', '(not shown)'],
      ['token', '(not shown)'],
    ])
  })
})

describe('an unsigned 64-bit integer', () => {
  it('outside the range is moved to the nearer bound', () => {
    const largest = 2n ** 64n - 1n
    fc.assert(
      fc.property(fc.bigInt({ min: -largest, max: 2n * largest }), (n) => {
        const clamped = U64.clamp(n)
        expect(clamped).toBe(n < 0n ? 0n : n > largest ? largest : n)
        expect(U64.fromBigInt(n)).toStrictEqual(clamped === n ? O.some(n) : O.none)
      }),
    )
  })

  it('is exact in text and in JSON, every digit', () => {
    const numbers = fc.oneof(
      any.u64,
      fc.constantFrom(...[0n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 64n - 1n].map(U64.clamp)),
    )
    fc.assert(
      fc.property(numbers, (n) => {
        expect(U64.fromDecimal(n.toString())).toStrictEqual(O.some(n))
        expect(U64.json(n)).toBe(String(n))
        expect(U64.codec.decode(parse(`${U64.codec.encode(n)}`, undefined, parseNumberAndBigInt))).toStrictEqual(
          E.right(n),
        )
      }),
    )
    expect(U64.codec.decode(Number.MAX_SAFE_INTEGER)).toStrictEqual(E.right(2n ** 53n - 1n))
    expect(U64.codec.decode(-0)).toStrictEqual(E.right(0n))
    // The codec of a user id takes text only.
    expect(E.isLeft(UserId.codec.decode(42n))).toBe(true)
  })

  const digits = ['', '-1', '+1', '00', '042', ' 1', '1 ', '1\n', '1.0', '1e3', '0x1', '\u0661', '18446744073709551616']
  it.each([...digits, '9'.repeat(21)])('is canonical in text: not %j', (text) => {
    expect(U64.fromDecimal(text)).toStrictEqual(O.none)
  })
})

describe('the value of a trigger', () => {
  it.each([
    '{"type":"a","n":123456789012345678901234567890}',
    '{ "b" : 1.0 ,\n"type":"a", "a":-0}',
    '{"type":"\\u0061"}',
    '{"type":"a","__proto__":{"type":1}}',
  ])('keeps its text as it is, digits, order and white space included: %s', (json) => {
    expect(TriggerValue.fromJson(json)).toStrictEqual(E.right({ type: 'a', json }))
  })
})

describe('a failure', () => {
  it('is matched by the case of its name, which gets it as it is', () => {
    const itself = Failure.match<readonly [string, Failure.Failure]>({
      'invalid token': (given) => ['invalid token', given],
      'not verified': (given) => ['not verified', given],
      'permission denied': (given) => ['permission denied', given],
      'file not found': (given) => ['file not found', given],
      'type mismatch': (given) => ['type mismatch', given],
      external: (given) => ['external', given],
      'trigger not found': (given) => ['trigger not found', given],
    })
    fc.assert(
      fc.property(any.failure, (given) => {
        const [matched, passed] = itself(given)
        expect(matched).toBe(given.error)
        expect(passed).toBe(given)
      }),
    )
  })
})
