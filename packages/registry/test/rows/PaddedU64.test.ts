import { arbitraries } from '@canopy/testkit'
import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import * as PaddedU64 from '../../src/rows/PaddedU64.js'
import { refusals } from './refusals.js'

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
    ['00000000000000000007'],
    null,
  ])('%s is none', (u) => {
    expect(refusals(PaddedU64.codec, u)).toEqual(['must be 20 digits, at most 2^64-1'])
    expect(refusals(PaddedU64.userId, u)).toEqual(['must be 20 digits, at most 2^64-1'])
  })
  it('is 20 digits', () => {
    expect(E.map(PaddedU64.encode)(PaddedU64.codec.decode('00000000000000000007'))).toEqual(
      E.right('00000000000000000007'),
    )
    expect([PaddedU64.codec.name, PaddedU64.userId.name]).toEqual(['PaddedU64', 'PaddedUserId'])
  })
})
