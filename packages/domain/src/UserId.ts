import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as t from 'io-ts'
import { decodeRawSegment } from './Name.js'
import * as U64 from './U64.js'

/** The numeric identifier of a user, and so of the account and its area. In text always canonical decimal: `0`, `42`. */
export type UserId = U64.U64 & { readonly UserId: unique symbol }

export const is = (u: unknown): u is UserId => U64.is(u)

/** Parses canonical decimal from 0 to 2^64-1: no sign, no leading zero, no space. */
export const fromDecimal = (digits: string): O.Option<UserId> => pipe(U64.fromDecimal(digits), O.filter(is))

/** Parses one raw segment of a request target, percent-decoded once, strictly. */
export const fromRawSegment = (raw: string): O.Option<UserId> => pipe(decodeRawSegment(raw), O.flatMap(fromDecimal))

/** As in a URL: `42`. */
export const toDecimal = (id: UserId): string => id.toString()

/** Decodes canonical decimal text, and encodes to it, because a number would lose digits above 2^53. */
export const codec: t.Type<UserId, string, unknown> = new t.Type(
  'UserId',
  is,
  (u, context) =>
    pipe(
      typeof u === 'string' ? fromDecimal(u) : O.none,
      O.match(
        () => t.failure(u, context, 'must be a whole number from 0 to 18446744073709551615, without leading zeros'),
        E.right,
      ),
    ),
  toDecimal,
)
