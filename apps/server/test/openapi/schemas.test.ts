import { Envelope, Items, Name, TreeNode, U64, Visibility } from '@canopy/domain'
import { arbitraries } from '@canopy/testkit'
import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { exactJson } from './exactJson.js'
import { mutations } from './mutations.js'
import { openApi } from './openApi.js'
import { satisfies } from './satisfies.js'

interface Decoder {
  readonly decode: (value: unknown) => E.Either<unknown, unknown>
}

const { treeNode, directoryItem, nodeVisibility, visibility, name, u64, triggerValue, failure } = arbitraries

/** The schema, the codec that decodes the same, and what the service writes for any value. */
const shapes: ReadonlyArray<readonly [string, Decoder, fc.Arbitrary<string>]> = [
  ['U64', U64.codec, u64.map(String)],
  ['Name', Name.codec, name.map((text) => JSON.stringify(text))],
  ['Visibility', Visibility.codec, visibility.map((text) => JSON.stringify(text))],
  ['NodeVisibility', Visibility.nodeCodec, nodeVisibility.map(Visibility.json)],
  ['TreeNode', TreeNode.codec, treeNode.map(TreeNode.json)],
  ['DirectoryItem', Items.codec, directoryItem.map(Items.json)],
  ['TreeEnvelope', Envelope.treeCodec, treeNode.map(Envelope.treeJson)],
  [
    'DirContentEnvelope',
    Envelope.dirContentCodec,
    fc.array(directoryItem, { maxLength: 5 }).map(Envelope.dirContentJson),
  ],
  ['TriggerPeakEnvelope', Envelope.triggerPeakCodec, triggerValue.map(Envelope.triggerPeakJson)],
  ['ErrorEnvelope', Envelope.errorCodec, failure.map(({ error }) => Envelope.errorJson(error))],
]

const accepts = ([schema, codec]: (typeof shapes)[number], value: unknown) => ({
  schema: satisfies(openApi.components.schemas[schema] ?? {}, value),
  codec: E.isRight(codec.decode(value)),
})

const both = (accepted: boolean) => ({ schema: accepted, codec: accepted })

const wordsOfTheInterface = [
  'public',
  'hidden',
  'private',
  'Public',
  'dir',
  'file',
  'tree',
  '.',
  '..',
  '...',
  'a/b',
  '',
]

describe('a schema of the document', () => {
  it.each(shapes)('%s accepts what the service writes, and so does the codec', (...shape) => {
    fc.assert(
      fc.property(shape[2], (text) => {
        expect(accepts(shape, exactJson(text))).toEqual(both(true))
      }),
    )
  })

  const withFields = shapes.filter(([schema]) => !['U64', 'Name', 'Visibility'].includes(schema))

  it.each(withFields)('%s refuses an answer with one field spoilt, and so does the codec', (...shape) => {
    const spoilt = shape[2].chain((text) => fc.constantFrom(...mutations(exactJson(text))))
    fc.assert(
      fc.property(spoilt, (value) => {
        expect(accepts(shape, value)).toEqual(both(false))
      }),
      { numRuns: 500 },
    )
  })

  it.each(shapes)('%s and the codec say the same of any JSON', (...shape) => {
    const integer = fc.oneof(fc.bigInt({ min: -(2n ** 65n), max: 2n ** 65n }), fc.integer())
    const json = fc.oneof(fc.jsonValue(), integer.map(String).map(exactJson), fc.constantFrom(...wordsOfTheInterface))
    fc.assert(
      fc.property(json, (value) => {
        const { schema, codec } = accepts(shape, value)
        expect(schema).toBe(codec)
      }),
      { numRuns: 500 },
    )
  })
})
