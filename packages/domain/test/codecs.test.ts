import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type * as t from 'io-ts'
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
