import { Area, type Failure, type UserId } from '@canopy/domain'
import type * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { decodeRow } from './decodeRow.js'
import * as PaddedU64 from './PaddedU64.js'

/** The columns of an account that a request needs. */
export interface AccountRow {
  readonly id: UserId.UserId
  readonly verified: boolean
  readonly location: Area.AreaLocation
  readonly mount_point: boolean
}

export const flag: t.Type<boolean, number, unknown> = new t.Type(
  'Flag',
  t.boolean.is,
  (u, context) => (u === 0 || u === 1 ? t.success(u === 1) : t.failure(u, context, 'must be 0 or 1')),
  (verified) => (verified ? 1 : 0),
)

export const location: t.Type<Area.AreaLocation, string, unknown> = new t.Type(
  'AreaLocation',
  (u): u is Area.AreaLocation => t.string.is(u),
  (u, context) => (t.string.is(u) ? t.success(Area.location(u)) : t.failure(u, context, 'must be text')),
  (place) => place,
)

const codec: t.Type<AccountRow, unknown, unknown> = t.type({
  id: PaddedU64.userId,
  verified: flag,
  location,
  mount_point: flag,
})

export const decode: (row: unknown) => E.Either<Failure.External, AccountRow> = decodeRow('accounts', codec)

export const area = ({ id, location, mount_point }: AccountRow): Area.Area =>
  mount_point ? { owner: id, location, isMountPoint: true } : { owner: id, location }
