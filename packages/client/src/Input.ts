import * as Domain from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { flow, pipe } from 'fp-ts/lib/function.js'
import type * as t from 'io-ts'
import * as BaseUrl from './BaseUrl.js'
import { type MalformedInput, malformed } from './MalformedInput.js'

export type { MalformedInput }

const decoding =
  <A>(what: string, codec: t.Decoder<unknown, A>) =>
  (given: unknown): E.Either<MalformedInput, A> =>
    pipe(
      codec.decode(given),
      E.mapLeft(([first]) => malformed(`${what} ${first?.message ?? 'is malformed'}`)),
    )

/** Where the service answers: `https://files.example`. `http:` or `https:`; a path in it is kept, a query refused. */
export const baseUrl = flow(
  BaseUrl.fromString,
  E.mapLeft((problem) => malformed(`the base URL ${problem}`)),
)

/** As it was issued: `cnp_` and 43 characters of base64url. What is wrong with one is told without repeating it. */
export const accessToken: (token: string) => E.Either<MalformedInput, Domain.AccessToken.AccessToken> = decoding(
  'the access token',
  Domain.AccessToken.codec,
)

const decodeUserId = decoding('the user id', Domain.UserId.codec)

/** From 0 to 2^64-1, in text without leading zeros. A number only while it is exact: above 2^53 write the id as a bigint or as text. */
export const userId = (id: string | bigint | number): E.Either<MalformedInput, Domain.UserId.UserId> =>
  typeof id === 'number' && !Number.isSafeInteger(id)
    ? E.left(malformed('the user id is not an exact integer: above 2^53 write it as a bigint or as text'))
    : decodeUserId(`${id}`)

/** The id as it is, nothing percent-encoded: what a name may be. What is wrong with one is told without repeating it. */
export const triggerId: (id: string) => E.Either<MalformedInput, Domain.TriggerId.TriggerId> = decoding(
  'the trigger id',
  Domain.TriggerId.codec,
)

/** Names as they are, nothing percent-encoded: `/` for the root, `/photos/a b.jpg` below it. */
export const storagePath: (path: string) => E.Either<MalformedInput, Domain.StoragePath.StoragePath> = decoding(
  'the path',
  Domain.StoragePath.codec,
)

/** The name of one node, for `after`: 1 to 255 bytes of UTF-8 without `/` and NUL, neither `.` nor `..`. */
export const name: (name: string) => E.Either<MalformedInput, Domain.Name.Name> = decoding(
  'the name',
  Domain.Name.codec,
)
