import { createHash } from 'node:crypto'
import type { AccessToken } from '@canopy/domain'
import {
  Area,
  Failure,
  NamePattern,
  Rules,
  StoragePath,
  TriggerId,
  TriggerValue,
  U64,
  UserId,
  Visibility,
} from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { flow, pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as t from 'io-ts'
import type { Insertable } from 'kysely'
import type { Schema } from './Schema.js'

export interface Account {
  readonly id: UserId.UserId
  readonly name: O.Option<string>
  readonly verified: boolean
  readonly location: Area.AreaLocation
  /** The directory was a mount point when the account got it. */
  readonly isMountPoint: boolean
  /** Canopy made the directory. False for accounts from before this was recorded. */
  readonly areaMade: boolean
}

/** A token without its secret. */
export interface TokenRecord {
  /** The first 16 hexadecimal digits of the token's SHA-256: names the token without granting access. */
  readonly tokenId: string
  readonly account: UserId.UserId
  readonly scope: StoragePath.StoragePath
  /** Unix time in seconds. From this second on, the token is invalid. */
  readonly expires: O.Option<U64.U64>
  readonly label: O.Option<string>
}

export interface NewToken extends Omit<TokenRecord, 'tokenId'> {
  readonly token: AccessToken.AccessToken
}

export interface TriggerRecord {
  readonly id: TriggerId.TriggerId
  readonly value: TriggerValue.TriggerValue
  /** Unix time in seconds. From this second on, the trigger is missing. */
  readonly expires: O.Option<U64.U64>
}

/** Hashes the text in UTF-8; 64 hexadecimal digits. */
export const sha256Hex = (text: string): string => createHash('sha256').update(text).digest('hex')

export const tokenIdLength = 16

const tokenIdOfHash = (sha256: string): string => sha256.slice(0, tokenIdLength)

/** The public id of a token, for `canopy token list` and `canopy token revoke`: 16 hexadecimal digits. */
export const tokenIdOf = (token: AccessToken.AccessToken): string => tokenIdOfHash(sha256Hex(token))

/** 20 digits, the length of 2^64-1: the text sorts like the number. */
export const padded = (n: U64.U64): string => n.toString().padStart(20, '0')

const paddedAs = <A extends U64.U64>(name: string, is: (u: unknown) => u is A): t.Type<A, string, unknown> =>
  new t.Type(
    name,
    is,
    (u, context) => {
      const n = typeof u === 'string' && /^[0-9]{20}$/.test(u) ? BigInt(u) : undefined
      return is(n) ? t.success(n) : t.failure(u, context)
    },
    padded,
  )

export const paddedU64 = paddedAs('PaddedU64', U64.is)

export const paddedUserId = paddedAs('PaddedUserId', UserId.is)

const flag: t.Type<boolean, number, unknown> = new t.Type(
  'Flag',
  t.boolean.is,
  (u, context) => (u === 0 || u === 1 ? t.success(u === 1) : t.failure(u, context)),
  (is) => (is ? 1 : 0),
)

/** NULL is `none`. */
const nullable = <A>(codec: t.Type<A, string, unknown>): t.Type<O.Option<A>, string | null, unknown> =>
  new t.Type(
    `${codec.name} or NULL`,
    (u): u is O.Option<A> => t.UnknownRecord.is(u) && '_tag' in u,
    (u, context) => (u === null ? t.success(O.none) : pipe(codec.validate(u, context), E.map(O.some))),
    O.match(() => null, codec.encode),
  )

/** Another program has written these columns. */
export const notWrittenByCanopy = (columns: string): Failure.External =>
  Failure.external(new Error(`the registry contains an invalid value in ${columns}`))

/** The cause of a failure names table and columns. Values may be secret. */
const decodeRow =
  <A>(table: string, codec: t.Type<A, unknown, unknown>) =>
  (row: unknown): E.Either<Failure.External, A> =>
    pipe(
      codec.decode(row),
      E.mapLeft((errors) => errors.map(({ context }) => `${table}.${context.at(1)?.key ?? '(row)'}`)),
      E.mapLeft((columns) => notWrittenByCanopy([...new Set(columns)].join(', '))),
    )

const account = t.strict({
  id: paddedUserId,
  name: nullable(t.string),
  verified: flag,
  location: t.string,
  mount_point: flag,
  area_made: flag,
})

export const decodeAccount: (row: unknown) => E.Either<Failure.External, Account> = flow(
  decodeRow('accounts', account),
  E.map(({ location, mount_point, area_made, ...rest }) => ({
    ...rest,
    location: Area.location(location),
    isMountPoint: mount_point,
    areaMade: area_made,
  })),
)

export const accountRow = ({ isMountPoint, areaMade, ...rest }: Account): Insertable<Schema['accounts']> =>
  account.encode({ ...rest, mount_point: isMountPoint, area_made: areaMade })

const token = t.strict({
  sha256: t.string,
  account: paddedUserId,
  scope: StoragePath.codec,
  expires: nullable(paddedU64),
  label: nullable(t.string),
})

export const decodeToken: (row: unknown) => E.Either<Failure.External, TokenRecord> = flow(
  decodeRow('tokens', token),
  E.map(({ sha256, ...rest }) => ({ tokenId: tokenIdOfHash(sha256), ...rest })),
)

export const tokenRow = ({ token: secret, ...rest }: NewToken): Insertable<Schema['tokens']> =>
  token.encode({ sha256: sha256Hex(secret), ...rest })

export const decodeSetting = decodeRow('settings', t.type({ path: StoragePath.codec, visibility: Visibility.codec }))

export const decodeRule = decodeRow(
  'rules',
  t.strict({ pattern: NamePattern.codec, visibility: Rules.visibilityCodec }),
)

const trigger = t.strict({ id: TriggerId.codec, value: TriggerValue.codec, expires: nullable(paddedU64) })

export const decodeTrigger: (row: unknown) => E.Either<Failure.External, TriggerRecord> = decodeRow('triggers', trigger)

export const triggerRow: (trigger: TriggerRecord) => Insertable<Schema['triggers']> = trigger.encode
