import type { Failure } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { flow } from 'fp-ts/lib/function.js'
import * as t from 'io-ts'
import { flag, location } from '../rows/AccountRow.js'
import { decodeRow } from '../rows/decodeRow.js'
import { nullable } from '../rows/nullable.js'
import * as PaddedU64 from '../rows/PaddedU64.js'
import type { Account } from './RegistryWriter.js'

const codec = t.strict({
  id: PaddedU64.userId,
  name: nullable(t.string),
  verified: flag,
  location,
  mount_point: flag,
  area_made: flag,
})

export const decodeAccount: (row: unknown) => E.Either<Failure.External, Account> = flow(
  decodeRow('accounts', codec),
  E.map(({ mount_point, area_made, ...account }) => ({ ...account, isMountPoint: mount_point, areaMade: area_made })),
)
