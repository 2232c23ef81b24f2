import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { directoryItem, failure, treeNode, triggerValue } from '../../testkit/src/arbitraries/values.js'
import * as Envelope from '../src/Envelope.js'
import { readJson } from './readJson.js'

describe('the envelopes have the types of the interface', () => {
  it('tree', () => {
    fc.assert(
      fc.property(treeNode, (content) => {
        const envelope = { type: 'tree', content } as const
        expect(Envelope.treeCodec.decode(readJson(Envelope.treeJson(content)))).toStrictEqual(E.right(envelope))
        expect(Envelope.treeCodec.decode(Envelope.treeCodec.encode(envelope))).toStrictEqual(E.right(envelope))
      }),
    )
  })

  it('dir content', () => {
    fc.assert(
      fc.property(fc.array(directoryItem), (content) => {
        const envelope = { type: 'dir content', content } as const
        expect(Envelope.dirContentCodec.decode(readJson(Envelope.dirContentJson(content)))).toStrictEqual(
          E.right(envelope),
        )
        expect(Envelope.dirContentCodec.decode(Envelope.dirContentCodec.encode(envelope))).toStrictEqual(
          E.right(envelope),
        )
      }),
    )
  })

  it('trigger peak, spelled exactly so', () => {
    fc.assert(
      fc.property(triggerValue, (value) => {
        const parsed: unknown = JSON.parse(Envelope.triggerPeakJson(value))
        expect(parsed).toEqual({ type: 'trigger peak', value: JSON.parse(value.json) })
        expect(Envelope.triggerPeakCodec.decode(parsed)).toEqual(E.right(parsed))
      }),
    )
  })

  it('the value of a trigger is passed on as it is', () => {
    fc.assert(
      fc.property(triggerValue, (value) => {
        expect(Envelope.triggerPeakJson(value)).toBe(`{"type":"trigger peak","value":${value.json}}`)
      }),
    )
  })

  it('error, with the name and nothing else', () => {
    fc.assert(
      fc.property(failure, ({ error }) => {
        expect(Envelope.errorJson(error)).toBe(`{"type":"error","error":"${error}"}`)
        expect(Envelope.errorCodec.decode(JSON.parse(Envelope.errorJson(error)))).toStrictEqual(
          E.right({ type: 'error', error }),
        )
      }),
    )
  })

  it.each([
    ['a tree without a node', Envelope.treeCodec, '{"type":"tree"}'],
    ['a tree of what is no node', Envelope.treeCodec, '{"type":"tree","content":{}}'],
    ['a tree for a listing', Envelope.dirContentCodec, '{"type":"tree","content":[]}'],
    ['a trigger value without a type', Envelope.triggerPeakCodec, '{"type":"trigger peak","value":{}}'],
    ['the trigger spelled otherwise', Envelope.triggerPeakCodec, '{"type":"trigger peek","value":{"type":"a"}}'],
    ['an error outside part 7', Envelope.errorCodec, '{"type":"error","error":"bad request"}'],
  ])('refuses %s', (_, codec, json) => {
    expect(codec.is(JSON.parse(json))).toBe(false)
  })
})
