import type { Failure } from '@canopy/domain'
import type * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { flag, location } from '../rows/AccountRow.js'
import { decodeRow } from '../rows/decodeRow.js'
import { nullable } from '../rows/nullable.js'
import * as PaddedU64 from '../rows/PaddedU64.js'
import type { Account } from './RegistryWriter.js'

const codec: t.Type<Account, unknown, unknown> = t.strict({
  id: PaddedU64.userId,
  name: nullable(t.string),
  verified: flag,
  location,
})

export const decodeAccount: (row: unknown) => E.Either<Failure.External, Account> = decodeRow('accounts', codec)
