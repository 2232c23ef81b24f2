import { type Failure, StoragePath, type U64, type UserId } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { flow } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as t from 'io-ts'
import { decodeRow } from '../rows/decodeRow.js'
import { nullable } from '../rows/nullable.js'
import * as PaddedU64 from '../rows/PaddedU64.js'
import type { TokensTable } from '../Schema.js'
import { sha256Hex } from '../sha256Hex.js'
import { idOfHash } from '../tokenId.js'
import type { NewToken, TokenRecord } from './RegistryWriter.js'

interface TokenRow {
  readonly sha256: string
  readonly account: UserId.UserId
  readonly scope: StoragePath.StoragePath
  readonly expires: O.Option<U64.U64>
  readonly label: O.Option<string>
}

const codec: t.Type<TokenRow, unknown, unknown> = t.type({
  sha256: t.string,
  account: PaddedU64.userId,
  scope: StoragePath.codec,
  expires: nullable(PaddedU64.codec),
  label: nullable(t.string),
})

const record = ({ sha256, account, scope, expires, label }: TokenRow): TokenRecord => ({
  tokenId: idOfHash(sha256),
  account,
  scope,
  expires,
  label,
})

export const decode: (row: unknown) => E.Either<Failure.External, TokenRecord> = flow(
  decodeRow('tokens', codec),
  E.map(record),
)

export const encode = ({ token, account, scope, expires, label }: NewToken): TokensTable => ({
  sha256: sha256Hex(token),
  account: PaddedU64.encode(account),
  scope,
  expires: O.toNullable(O.map(PaddedU64.encode)(expires)),
  label: O.toNullable(label),
})
