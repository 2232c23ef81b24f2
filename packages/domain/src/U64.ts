import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import * as t from 'io-ts'

/** An unsigned 64-bit integer, 0 to 2^64-1, exact: a bigint here, plain decimal digits in JSON. */
export type U64 = bigint & { readonly U64: unique symbol }

/** 2^64-1. */
export const largest = (2n ** 64n - 1n) as U64

export const is = (u: unknown): u is U64 => typeof u === 'bigint' && u >= 0n && u <= largest

/** Converts a bigint from 0 to 2^64-1. */
export const fromBigInt = (n: bigint): O.Option<U64> => (is(n) ? O.some(n) : O.none)

/** Returns the nearest U64: a value that a file system reports below 0 or above 2^64-1 becomes that limit. */
export const clamp = (n: bigint): U64 => (n < 0n ? 0n : n > largest ? largest : n) as U64

export const zero: U64 = clamp(0n)

/** Parses canonical decimal: no sign, no leading zero, no space. */
export const fromDecimal = (digits: string): O.Option<U64> =>
  /^(0|[1-9][0-9]{0,19})$/.test(digits) ? fromBigInt(BigInt(digits)) : O.none

/**
 * Decodes what a JSON reader may return for an integer: a bigint, or a number that is still exact. A number above 2^53 has
 * already lost digits and is refused.
 */
export const codec: t.Type<U64, bigint, unknown> = new t.Type(
  'U64',
  is,
  (u, context) => {
    const n = Number.isSafeInteger(u) ? BigInt(u as number) : u
    return is(n) ? E.right(n) : t.failure(u, context, 'must be an integer from 0 to 2^64-1, held exactly')
  },
  (n) => n,
)

/** Returns the decimal digits. A number is written several times faster than a bigint. */
export const json = (u: U64): string => {
  const n = Number(u)
  // Stryker disable next-line ConditionalExpression,EqualityOperator: this only saves time
  return n <= Number.MAX_SAFE_INTEGER ? `${n}` : `${u}`
}
