import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { nodeVisibility, visibility } from '../../testkit/src/arbitraries/values.js'
import * as NodeVisibility from '../src/NodeVisibility.js'
import { brokenRoundTrip } from './roundTrip.js'

describe('the visibility object says whether a parent directory gave the visibility', () => {
  it('decodes what it encodes', () => {
    expect(brokenRoundTrip(NodeVisibility.codec, nodeVisibility)).toBeNull()
  })

  it('has the JSON of the interface', () => {
    expect(NodeVisibility.json({ inherited: true, visibility: 'hidden' })).toBe(
      '{"inherited":true,"visibility":"hidden"}',
    )
    fc.assert(
      fc.property(nodeVisibility, (value) => {
        expect(JSON.parse(NodeVisibility.json(value))).toStrictEqual(NodeVisibility.codec.encode(value))
      }),
    )
  })

  it.each([
    {},
    { inherited: true },
    { visibility: 'public' },
    { inherited: 'true', visibility: 'public' },
    { inherited: true, visibility: 'secret' },
    null,
  ])('is refused: %j', (u) => {
    expect(NodeVisibility.codec.is(u)).toBe(false)
    expect(E.isLeft(NodeVisibility.codec.decode(u))).toBe(true)
  })

  it('a setting of its own is not inherited', () => {
    fc.assert(
      fc.property(visibility, (own) => {
        expect(NodeVisibility.own(own)).toStrictEqual({ inherited: false, visibility: own })
      }),
    )
  })

  it('what a parent has is inherited, whether the parent inherited it or not', () => {
    fc.assert(
      fc.property(nodeVisibility, (parent) => {
        expect(NodeVisibility.inherit(parent)).toStrictEqual({ inherited: true, visibility: parent.visibility })
      }),
    )
  })
})
