import { Area, type UserId } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Kysely } from 'kysely'
import { attempt } from '../attempt.js'
import { flag } from '../rows/AccountRow.js'
import * as PaddedU64 from '../rows/PaddedU64.js'
import type { Schema } from '../Schema.js'
import { decodeAccount } from './decodeAccount.js'
import { inTransaction } from './inTransaction.js'
import type { Account, AccountChange, NewAccount, RegistryWriter } from './RegistryWriter.js'
import { theAccount } from './theAccount.js'

const accountOf = ({ id, name, verified, location }: NewAccount): Account => ({
  id,
  name,
  verified,
  location: pipe(
    location,
    O.getOrElse(() => Area.location(id.toString())),
  ),
  isMountPoint: false,
  areaMade: false,
})

const rowOf = ({ id, name, verified, location, isMountPoint, areaMade }: Account) => ({
  id: PaddedU64.encode(id),
  name: O.toNullable(name),
  verified: flag.encode(verified),
  location,
  mount_point: flag.encode(isMountPoint),
  area_made: flag.encode(areaMade),
})

/** Sure only inside a transaction. */
const isFree = (db: Kysely<Schema>, id: UserId.UserId) =>
  pipe(
    attempt(() => db.selectFrom('accounts').select('id').where('id', '=', PaddedU64.encode(id)).execute()),
    TE.filterOrElseW(RA.isEmpty, () => ({ error: 'account exists', id }) as const),
  )

const insert = (db: Kysely<Schema>, account: Account) =>
  attempt(() => db.insertInto('accounts').values(rowOf(account)).execute())

export const accounts = (db: Kysely<Schema>): RegistryWriter['accounts'] => ({
  create: (account) =>
    inTransaction(db)((transaction) =>
      pipe(
        isFree(transaction, account.id),
        TE.map(() => accountOf(account)),
        TE.tap((created) => insert(transaction, created)),
      ),
    ),
  all: pipe(
    attempt(() => db.selectFrom('accounts').selectAll().orderBy('id').execute()),
    TE.flatMapEither(E.traverseArray(decodeAccount)),
  ),
  find: (id) => pipe(theAccount(db, id), TE.flatMapEither(decodeAccount)),
  update: (id, change: AccountChange) =>
    inTransaction(db)((transaction) =>
      pipe(
        theAccount(transaction, id),
        TE.flatMapEither(decodeAccount),
        TE.map((account): Account => ({ ...account, ...change })),
        TE.tap((account) =>
          attempt(() =>
            transaction.updateTable('accounts').set(rowOf(account)).where('id', '=', PaddedU64.encode(id)).execute(),
          ),
        ),
      ),
    ),
  delete: (id) =>
    inTransaction(db)((transaction) =>
      pipe(
        theAccount(transaction, id),
        TE.flatMapEither(decodeAccount),
        // Its tokens and settings go with it by their foreign keys.
        TE.tap(() =>
          attempt(() => transaction.deleteFrom('accounts').where('id', '=', PaddedU64.encode(id)).execute()),
        ),
      ),
    ),
})
