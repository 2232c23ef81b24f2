import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { nodeVisibility, visibility } from '../../testkit/src/arbitraries/values.js'
import * as Visibility from '../src/Visibility.js'

describe('the visibility object says whether a parent directory gave the visibility', () => {
  it('has the JSON of the interface', () => {
    expect(Visibility.json({ inherited: true, visibility: 'hidden' })).toBe('{"inherited":true,"visibility":"hidden"}')
    fc.assert(
      fc.property(nodeVisibility, (value) => {
        expect(JSON.parse(Visibility.json(value))).toStrictEqual(Visibility.nodeCodec.encode(value))
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
    expect(Visibility.nodeCodec.is(u)).toBe(false)
    expect(E.isLeft(Visibility.nodeCodec.decode(u))).toBe(true)
  })

  it('a setting of its own is not inherited', () => {
    fc.assert(
      fc.property(visibility, (own) => {
        expect(Visibility.own(own)).toStrictEqual({ inherited: false, visibility: own })
      }),
    )
  })

  it('what a parent has is inherited, whether the parent inherited it or not', () => {
    fc.assert(
      fc.property(nodeVisibility, (parent) => {
        expect(Visibility.inherit(parent)).toStrictEqual({ inherited: true, visibility: parent.visibility })
      }),
    )
  })
})
