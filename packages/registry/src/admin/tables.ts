import { AccessToken, Area, type Failure, Name, type UserId } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { constVoid, pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as Ord from 'fp-ts/lib/Ord.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import type * as T from 'fp-ts/lib/Task.js'
import type { Kysely } from 'kysely'
import { answering } from '../Database.js'
import { readSettings } from '../ports.js'
import * as Row from '../rows.js'
import type { Schema } from '../Schema.js'
import type { Refused, RegistryWriter, StoredTrigger } from './RegistryWriter.js'

/** All of the work, or none of it when it is refused or fails. Transactions of writers wait for each other. */
export const inTransaction = <R extends E.Either<unknown, unknown>>(
  db: Kysely<Schema>,
  work: (tx: Kysely<Schema>) => Promise<R>,
): T.Task<R | E.Left<Failure.External>> =>
  answering(async () => {
    const tx = await db.startTransaction().execute()
    try {
      const result = await work(tx)
      await (E.isRight(result) ? tx.commit() : tx.rollback()).execute()
      return result
    } catch (cause) {
      // Gives the connection back as well. When it fails, the connection is gone, and the tx with it.
      await tx.rollback().execute().catch(constVoid)
      throw cause
    }
  })

const theAccount = async (
  db: Kysely<Schema>,
  id: UserId.UserId,
): Promise<E.Either<Refused<'no such account' | 'external'>, Row.Account>> => {
  const [row] = await db.selectFrom('accounts').selectAll().where('id', '=', Row.padded(id)).execute()
  return row === undefined ? E.left({ error: 'no such account', id }) : Row.decodeAccount(row)
}

export const accounts = (db: Kysely<Schema>): RegistryWriter['accounts'] => ({
  create: ({ id, name, verified, location }) =>
    inTransaction(db, async (tx) => {
      const others = await tx.selectFrom('accounts').select('id').where('id', '=', Row.padded(id)).execute()
      if (others.length > 0) return E.left({ error: 'account exists', id } as const)
      const area = O.getOrElse(() => Area.location(id.toString()))(location)
      const account = { id, name, verified, location: area, isMountPoint: false, areaMade: false }
      await tx.insertInto('accounts').values(Row.accountRow(account)).execute()
      return E.right(account)
    }),
  all: answering(async () =>
    E.traverseArray(Row.decodeAccount)(await db.selectFrom('accounts').selectAll().orderBy('id').execute()),
  ),
  find: (id) => answering(() => theAccount(db, id)),
  update: (id, change) =>
    inTransaction(db, async (tx) => {
      const before = await theAccount(tx, id)
      if (E.isLeft(before)) return before
      const account = { ...before.right, ...change }
      await tx.updateTable('accounts').set(Row.accountRow(account)).where('id', '=', Row.padded(id)).execute()
      return E.right(account)
    }),
  delete: (id) =>
    inTransaction(db, async (tx) => {
      const account = await theAccount(tx, id)
      // Its tokens and settings go with it by their foreign keys.
      if (E.isRight(account)) await tx.deleteFrom('accounts').where('id', '=', Row.padded(id)).execute()
      return account
    }),
})

export const tokens = (db: Kysely<Schema>): RegistryWriter['tokens'] => ({
  add: (token) =>
    inTransaction(db, async (tx) => {
      const account = await theAccount(tx, token.account)
      if (E.isLeft(account)) return account
      await tx.insertInto('tokens').values(Row.tokenRow(token)).execute()
      return Row.decodeToken(Row.tokenRow(token))
    }),
  of: (id) =>
    answering(async () => {
      const account = await theAccount(db, id)
      if (E.isLeft(account)) return account
      const rows = db.selectFrom('tokens').selectAll().where('account', '=', Row.padded(id)).orderBy('sha256')
      return E.traverseArray(Row.decodeToken)(await rows.execute())
    }),
  revoke: (tokenOrId) =>
    inTransaction(db, async (tx) => {
      const [row] = await tx
        .deleteFrom('tokens')
        .where(({ eb, fn, lit }) =>
          AccessToken.is(tokenOrId)
            ? eb('sha256', '=', Row.sha256Hex(tokenOrId))
            : eb(fn<string>('substr', ['sha256', lit(1), lit(Row.tokenIdLength)]), '=', tokenOrId),
        )
        .returningAll()
        .execute()
      return row === undefined ? E.left({ error: 'no such token' } as const) : Row.decodeToken(row)
    }),
})

export const settings = (db: Kysely<Schema>): RegistryWriter['settings'] => ({
  of: (id) =>
    answering(async () => {
      const account = await theAccount(db, id)
      return E.isLeft(account) ? account : readSettings(db, Row.padded(id))
    }),
  set: (id, path, visibility) =>
    inTransaction(db, async (tx) => {
      const account = await theAccount(tx, id)
      if (E.isLeft(account)) return account
      await tx
        .insertInto('settings')
        .values({ account: Row.padded(id), path_sha256: Row.sha256Hex(path), path, visibility })
        .onConflict((conflict) => conflict.columns(['account', 'path_sha256']).doUpdateSet({ visibility }))
        .execute()
      return E.right(undefined)
    }),
  remove: (id, path) =>
    inTransaction(db, async (tx) => {
      const account = await theAccount(tx, id)
      if (E.isLeft(account)) return account
      const [gone] = await tx
        .deleteFrom('settings')
        .where('account', '=', Row.padded(id))
        .where('path_sha256', '=', Row.sha256Hex(path))
        .returning('path')
        .execute()
      return gone === undefined ? E.left({ error: 'no such setting', path } as const) : E.right(undefined)
    }),
})

const stored = (row: { readonly id: string }): StoredTrigger =>
  pipe(
    Row.decodeTrigger(row),
    E.mapLeft(({ cause }) => ({ id: row.id, cause })),
  )

// Sorted here, since the collation of a database may be any.
const byId = Ord.contramap((trigger: StoredTrigger) => E.toUnion(trigger).id)(Name.byBytes)

export const triggers = (db: Kysely<Schema>): RegistryWriter['triggers'] => ({
  create: (trigger) =>
    inTransaction(db, async (tx) => {
      const { id } = trigger
      const others = await tx.selectFrom('triggers').select('id').where('id', '=', id).execute()
      if (others.length > 0) return E.left({ error: 'trigger exists', id } as const)
      await tx.insertInto('triggers').values(Row.triggerRow(trigger)).execute()
      return E.right(trigger)
    }),
  all: answering(async () => {
    const rows = await db.selectFrom('triggers').selectAll().execute()
    return E.right(RA.sort(byId)(rows.map(stored)))
  }),
  delete: (id) =>
    inTransaction(db, async (tx) => {
      const [row] = await tx.deleteFrom('triggers').where('id', '=', id).returningAll().execute()
      return row === undefined ? E.left({ error: 'no such trigger', id } as const) : E.right(stored(row))
    }),
})
