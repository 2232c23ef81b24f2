import { AccessToken } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type Kysely, sql } from 'kysely'
import { attempt } from '../attempt.js'
import * as PaddedU64 from '../rows/PaddedU64.js'
import type { Schema, TokensTable } from '../Schema.js'
import { sha256Hex } from '../sha256Hex.js'
import { idLength } from '../tokenId.js'
import { inTransaction } from './inTransaction.js'
import type { Refused, RegistryWriter } from './RegistryWriter.js'
import * as TokenRow from './TokenRow.js'
import { theAccount } from './theAccount.js'

const insert = (db: Kysely<Schema>, row: TokensTable) => attempt(() => db.insertInto('tokens').values(row).execute())

const forget = (db: Kysely<Schema>, tokenOrId: string) =>
  attempt(() =>
    db
      .deleteFrom('tokens')
      .where(
        AccessToken.is(tokenOrId)
          ? sql<boolean>`sha256 = ${sha256Hex(tokenOrId)}`
          : sql<boolean>`substr(sha256, 1, ${sql.lit(idLength)}) = ${tokenOrId}`,
      )
      .returningAll()
      .execute(),
  )

export const tokens = (db: Kysely<Schema>): RegistryWriter['tokens'] => ({
  add: (token) =>
    inTransaction(db)((transaction) =>
      pipe(
        theAccount(transaction, token.account),
        TE.map(() => TokenRow.encode(token)),
        TE.tap((row) => insert(transaction, row)),
        TE.flatMapEither(TokenRow.decode),
      ),
    ),
  of: (id) =>
    pipe(
      theAccount(db, id),
      TE.flatMap(() =>
        attempt(() =>
          db.selectFrom('tokens').selectAll().where('account', '=', PaddedU64.encode(id)).orderBy('sha256').execute(),
        ),
      ),
      TE.flatMapEither(E.traverseArray(TokenRow.decode)),
    ),
  revoke: (tokenOrId) =>
    inTransaction(db)((transaction) =>
      pipe(
        forget(transaction, tokenOrId),
        TE.map(RA.head),
        TE.flatMap(TE.fromOption((): Refused<'no such token' | 'external'> => ({ error: 'no such token' }))),
        TE.flatMapEither(TokenRow.decode),
      ),
    ),
})
