import { arbitraries } from '@canopy/testkit'
import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import * as PaddedU64 from '../../src/rows/PaddedU64.js'

describe('PaddedU64', () => {
  it('comes back as the number it was', () => {
    fc.assert(
      fc.property(arbitraries.u64, (n) => {
        expect(PaddedU64.codec.decode(PaddedU64.encode(n))).toEqual(E.right(n))
      }),
    )
  })
  it('sorts as numbers do', () => {
    fc.assert(
      fc.property(arbitraries.u64, arbitraries.u64, (x, y) => {
        expect(PaddedU64.encode(x) < PaddedU64.encode(y)).toBe(x < y)
      }),
    )
  })
  it.each([
    '7',
    '',
    '18446744073709551616',
    '99999999999999999999',
    '-0000000000000000001',
    '0000000000000000000a',
    '000000000000000000007',
    7,
    7n,
    null,
  ])('%s is none', (u) => {
    expect(E.isLeft(PaddedU64.codec.decode(u))).toBe(true)
    expect(E.isLeft(PaddedU64.userId.decode(u))).toBe(true)
  })
})
