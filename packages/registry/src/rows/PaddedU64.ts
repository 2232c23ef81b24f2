import { U64, UserId } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as t from 'io-ts'

/** 20 digits, the length of 2^64-1, so that text sorts as numbers do. */
export const encode = (n: U64.U64): string => n.toString().padStart(20, '0')

const fromPadded = (u: unknown): O.Option<U64.U64> =>
  typeof u === 'string' && /^[0-9]{20}$/.test(u) ? U64.fromBigInt(BigInt(u)) : O.none

const paddedAs = <A extends U64.U64>(name: string, is: (u: unknown) => u is A): t.Type<A, string, unknown> =>
  new t.Type(
    name,
    is,
    (u, context) =>
      pipe(
        fromPadded(u),
        O.filter(is),
        O.match(() => t.failure(u, context, 'must be 20 digits, at most 2^64-1'), E.right),
      ),
    encode,
  )

export const codec: t.Type<U64.U64, string, unknown> = paddedAs('PaddedU64', U64.is)

export const userId: t.Type<UserId.UserId, string, unknown> = paddedAs('PaddedUserId', UserId.is)
