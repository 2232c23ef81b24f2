import { type AreaOfTokenEnv, Failure, onceFor, StoragePath, type U64 } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type * as O from 'fp-ts/lib/Option.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import * as t from 'io-ts'
import { hasExpired, type Now } from '../Now.js'
import type { ReadDatabase } from '../ReadDatabase.js'
import * as AccountRow from '../rows/AccountRow.js'
import { decodeRow } from '../rows/decodeRow.js'
import { nullable } from '../rows/nullable.js'
import * as PaddedU64 from '../rows/PaddedU64.js'
import { sha256Hex } from '../sha256Hex.js'
import { byKey } from './byKey.js'
import { flatMapEither } from './flatMapEither.js'

interface TokenRow {
  readonly scope: StoragePath.StoragePath
  readonly expires: O.Option<U64.U64>
}

const tokenRow: t.Type<TokenRow, unknown, unknown> = t.type({
  scope: StoragePath.codec,
  expires: nullable(PaddedU64.codec),
})

/** What a row says, whenever it is asked. */
const tokenIn = onceFor((row: object) =>
  pipe(
    decodeRow('tokens', tokenRow)(row),
    E.bindTo('token'),
    E.bindW('account', () => AccountRow.decode(row)),
    E.map(({ token, account }) => ({
      expires: token.expires,
      verified: account.verified,
      grant: { area: AccountRow.area(account), scope: token.scope },
    })),
  ),
)

const grantOf = (now: Now) => (rows: ReadonlyArray<unknown>) =>
  pipe(
    RA.head(rows),
    E.fromOption(() => Failure.invalidToken),
    E.flatMap((row) => tokenIn(row as object)),
    E.filterOrElseW(
      ({ expires }) => !hasExpired(now, expires),
      () => Failure.invalidToken,
    ),
    E.filterOrElseW(
      ({ verified }) => verified,
      () => Failure.notVerified,
    ),
    E.map(({ grant }) => grant),
  )

export const areaOfToken = (database: ReadDatabase, now: Now): AreaOfTokenEnv['areaOfToken'] => {
  const find = byKey(database, (db, sha256) =>
    db
      .selectFrom('tokens')
      .innerJoin('accounts', 'accounts.id', 'tokens.account')
      .select(['tokens.scope', 'tokens.expires', 'accounts.id', 'accounts.verified', 'accounts.location'])
      .select('accounts.mount_point')
      .where('tokens.sha256', '=', sha256),
  )
  return (token) => pipe(find(sha256Hex(token)), flatMapEither(grantOf(now)))
}
