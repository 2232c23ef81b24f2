import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { describe, expect, it } from 'vitest'
import { u64 } from '../../testkit/src/arbitraries/values.js'
import * as U64 from '../src/U64.js'
import { readJson } from './readJson.js'
import { refusal } from './refusal.js'

const largest = 2n ** 64n - 1n

describe('a u64 is an unsigned 64-bit integer', () => {
  it.each([0n, 1n, 2n ** 53n + 1n, 2n ** 63n, largest])('%s is one', (n) => {
    expect(U64.fromBigInt(n)).toStrictEqual(O.some(n))
  })

  it.each([-1n, largest + 1n])('%s is none', (n) => {
    expect(U64.fromBigInt(n)).toStrictEqual(O.none)
  })

  it.each([1, '1', null, undefined, {}])('%j is none: only a bigint is exact', (u) => {
    expect(U64.is(u)).toBe(false)
  })
})

describe('a value outside the range is moved to the nearer bound', () => {
  it('is never outside, and unchanged inside', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -largest, max: 2n * largest }), (n) => {
        expect(U64.clamp(n)).toBe(n < 0n ? 0n : n > largest ? largest : n)
      }),
    )
  })
})

describe('in text it is canonical decimal', () => {
  it('reads what it writes, every digit', () => {
    fc.assert(
      fc.property(u64, (n) => {
        expect(U64.fromDecimal(n.toString())).toStrictEqual(O.some(n))
      }),
    )
  })

  it.each([
    '',
    '-1',
    '+1',
    '00',
    '042',
    ' 1',
    '1 ',
    '1\n',
    '1.0',
    '1e3',
    '0x1',
    '١',
    '18446744073709551616',
    '9'.repeat(21),
  ])('refuses %j', (digits) => {
    expect(U64.fromDecimal(digits)).toStrictEqual(O.none)
  })
})

describe('in JSON it is exact digits, also above 2^53', () => {
  it('is written with all of its digits', () => {
    for (const n of [0n, 2n ** 53n - 1n, 2n ** 53n, 2n ** 53n + 1n, largest])
      expect(U64.json(U64.clamp(n))).toBe(String(n))
    fc.assert(fc.property(u64, (n) => U64.json(n) === String(n)))
  })

  it('is exact through JSON text', () => {
    fc.assert(
      fc.property(u64, (n) => {
        expect(U64.codec.decode(readJson(`${U64.codec.encode(n)}`))).toStrictEqual(E.right(n))
      }),
    )
  })

  it('takes a number that is still exact', () => {
    expect(U64.codec.decode(Number.MAX_SAFE_INTEGER)).toStrictEqual(E.right(2n ** 53n - 1n))
    expect(U64.codec.decode(-0)).toStrictEqual(E.right(0n))
  })

  it.each([2 ** 53, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, '1', null, -1n, largest + 1n])(
    'refuses %s and says why',
    (u) => {
      expect(refusal(U64.codec, u)).toStrictEqual(['must be an integer from 0 to 2^64-1, held exactly'])
    },
  )
})
