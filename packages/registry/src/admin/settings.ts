import type { StoragePath, UserId, Visibility } from '@canopy/domain'
import { constVoid, identity, pipe } from 'fp-ts/lib/function.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Kysely } from 'kysely'
import { attempt } from '../attempt.js'
import { readSettings } from '../ports/readSettings.js'
import * as PaddedU64 from '../rows/PaddedU64.js'
import type { Schema } from '../Schema.js'
import { sha256Hex } from '../sha256Hex.js'
import { inTransaction } from './inTransaction.js'
import type { Refused, RegistryWriter } from './RegistryWriter.js'
import { theAccount } from './theAccount.js'

const put = (db: Kysely<Schema>, id: UserId.UserId, path: StoragePath.StoragePath, visibility: Visibility.Visibility) =>
  attempt(() =>
    db
      .insertInto('settings')
      .values({ account: PaddedU64.encode(id), path_sha256: sha256Hex(path), path, visibility })
      .onConflict((conflict) => conflict.columns(['account', 'path_sha256']).doUpdateSet({ visibility }))
      .execute(),
  )

const take = (db: Kysely<Schema>, id: UserId.UserId, path: StoragePath.StoragePath) =>
  attempt(() =>
    db
      .deleteFrom('settings')
      .where('account', '=', PaddedU64.encode(id))
      .where('path_sha256', '=', sha256Hex(path))
      .returning('path')
      .execute(),
  )

export const settings = (db: Kysely<Schema>): RegistryWriter['settings'] => ({
  of: (id) =>
    pipe(
      theAccount(db, id),
      TE.flatMap(() => readSettings(db, PaddedU64.encode(id), Number.MAX_SAFE_INTEGER)),
      TE.flatMapEither(identity),
    ),
  set: (id, path, visibility) =>
    inTransaction(db)((transaction) =>
      pipe(
        theAccount(transaction, id),
        TE.flatMap(() => put(transaction, id, path, visibility)),
        TE.map(constVoid),
      ),
    ),
  remove: (id, path) =>
    inTransaction(db)((transaction) =>
      pipe(
        theAccount(transaction, id),
        TE.flatMap(() => take(transaction, id, path)),
        TE.filterOrElseW(
          RA.isNonEmpty,
          (): Refused<'no such setting' | 'external'> => ({ error: 'no such setting', path }),
        ),
        TE.map(constVoid),
      ),
    ),
})
