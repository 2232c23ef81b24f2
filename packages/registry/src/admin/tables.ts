import {
  AccessToken,
  Area,
  type Failure,
  Name,
  type Settings,
  type StoragePath,
  type TriggerId,
  type UserId,
  type Visibility,
} from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as Ord from 'fp-ts/lib/Ord.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { Kysely } from 'kysely'
import { answering, inTransaction } from '../Database.js'
import { readSettings } from '../ports.js'
import * as Row from '../rows.js'
import type { Schema } from '../Schema.js'

export interface NewAccount extends Pick<Row.Account, 'id' | 'name' | 'verified'> {
  /** `none` names the area by the account's id. */
  readonly location: O.Option<Area.AreaLocation>
}

export type AccountChange = Partial<Omit<Row.Account, 'id'>>

/** A trigger that Canopy cannot read, since another program wrote it: peeking it answers `external`. */
export interface BrokenTrigger {
  readonly id: string
  /** Names columns, not what they hold. */
  readonly cause: unknown
}

export type StoredTrigger = E.Either<BrokenTrigger, Row.TriggerRecord>

interface Setting {
  readonly account: UserId.UserId
  readonly path: StoragePath.StoragePath
  readonly visibility: Visibility.Visibility
}

/** What is added at once: accounts and triggers that are not there yet, and what belongs to accounts that are there then. */
export interface Imported {
  readonly accounts: ReadonlyArray<Row.Account>
  readonly tokens: ReadonlyArray<Row.NewToken>
  /** They take the place of those of the same paths; no two are of one path. */
  readonly settings: ReadonlyArray<Setting>
  readonly triggers: ReadonlyArray<Row.TriggerRecord>
}

/** Why a change was refused; `external` when the registry itself failed. */
export type Refusal =
  | { readonly error: 'account exists'; readonly id: UserId.UserId }
  | { readonly error: 'no such account'; readonly id: UserId.UserId }
  | { readonly error: 'no such token' }
  | { readonly error: 'no such setting'; readonly account: UserId.UserId; readonly path: StoragePath.StoragePath }
  | { readonly error: 'trigger exists'; readonly id: TriggerId.TriggerId }
  | { readonly error: 'no such trigger'; readonly id: TriggerId.TriggerId }
  | Failure.External

type Refused<Name extends Refusal['error']> = Extract<Refusal, { readonly error: Name | 'external' }>

type Answer<A, Name extends Refusal['error'] = never> = TE.TaskEither<Refused<Name>, A>

/** SQLite takes 32,766 parameters at a time. */
const inBatches = async <A>(
  all: ReadonlyArray<A>,
  run: (batch: ReadonlyArray<A>) => Promise<unknown>,
): Promise<void> => {
  for (const batch of RA.chunksOf(1_000)(all)) await run(batch)
}

const theAccount = async (
  db: Kysely<Schema>,
  id: UserId.UserId,
): Promise<E.Either<Refused<'no such account'>, Row.Account>> => {
  const [row] = await db.selectFrom('accounts').selectAll().where('id', '=', Row.padded(id)).execute()
  return row === undefined ? E.left({ error: 'no such account', id }) : Row.decodeAccount(row)
}

const setAll = (db: Kysely<Schema>, settings: ReadonlyArray<Setting>) =>
  db
    .insertInto('settings')
    .values(
      settings.map(({ account, path, visibility }) => ({
        account: Row.padded(account),
        path_sha256: Row.sha256Hex(path),
        path,
        visibility,
      })),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['account', 'path_sha256'])
        .doUpdateSet(({ ref }) => ({ visibility: ref('excluded.visibility') })),
    )
    .execute()

const stored = (row: { readonly id: string }): StoredTrigger =>
  pipe(
    Row.decodeTrigger(row),
    E.mapLeft(({ cause }) => ({ id: row.id, cause })),
  )

// Sorted here, since the collation of a database may be any.
const byId = Ord.contramap((trigger: StoredTrigger) => E.toUnion(trigger).id)(Name.byBytes)

export type Tables = ReturnType<typeof tablesOf>

/** What operators do with the tables. Each change is whole or not made, and seen by the next request. */
export const tablesOf = (db: Kysely<Schema>) => {
  /** A change of what an account has. */
  const ofAccount = <L, A>(
    id: UserId.UserId,
    work: (tx: Kysely<Schema>, account: Row.Account) => Promise<E.Either<L, A>>,
  ): TE.TaskEither<Refused<'no such account'> | L, A> =>
    inTransaction(db, async (tx): Promise<E.Either<Refused<'no such account'> | L, A>> => {
      const account = await theAccount(tx, id)
      return E.isLeft(account) ? account : work(tx, account.right)
    })

  const accounts = {
    create: ({ id, name, verified, location }: NewAccount): Answer<Row.Account, 'account exists'> =>
      inTransaction(db, async (tx) => {
        const area = O.getOrElse(() => Area.location(id.toString()))(location)
        const account = { id, name, verified, location: area, isMountPoint: false, areaMade: false }
        const made = await tx
          .insertInto('accounts')
          .values(Row.accountRow(account))
          .onConflict((conflict) => conflict.doNothing())
          .returning('id')
          .execute()
        return made.length === 0 ? E.left({ error: 'account exists', id } as const) : E.right(account)
      }),
    /** By id, ascending. */
    all: answering(async () =>
      E.traverseArray(Row.decodeAccount)(await db.selectFrom('accounts').selectAll().orderBy('id').execute()),
    ) satisfies Answer<ReadonlyArray<Row.Account>>,
    find: (id: UserId.UserId): Answer<Row.Account, 'no such account'> => answering(() => theAccount(db, id)),
    update: (id: UserId.UserId, change: AccountChange): Answer<Row.Account, 'no such account'> =>
      ofAccount(id, async (tx, before) => {
        const account = { ...before, ...change }
        await tx.updateTable('accounts').set(Row.accountRow(account)).where('id', '=', Row.padded(id)).execute()
        return E.right(account)
      }),
    /** With its tokens and settings, by their foreign keys. What is in its area stays. */
    delete: (id: UserId.UserId): Answer<Row.Account, 'no such account'> =>
      ofAccount(id, async (tx, account) => {
        await tx.deleteFrom('accounts').where('id', '=', Row.padded(id)).execute()
        return E.right(account)
      }),
  }

  const tokens = {
    add: (token: Row.NewToken): Answer<Row.TokenRecord, 'no such account'> =>
      ofAccount(token.account, async (tx) => {
        await tx.insertInto('tokens').values(Row.tokenRow(token)).execute()
        return Row.decodeToken(Row.tokenRow(token))
      }),
    of: (id: UserId.UserId): Answer<ReadonlyArray<Row.TokenRecord>, 'no such account'> =>
      answering(async () => {
        const account = await theAccount(db, id)
        if (E.isLeft(account)) return account
        const rows = db.selectFrom('tokens').selectAll().where('account', '=', Row.padded(id)).orderBy('sha256')
        return E.traverseArray(Row.decodeToken)(await rows.execute())
      }),
    /** By the token itself or by its `tokenId`. The registry forgets it. */
    revoke: (tokenOrId: string): Answer<Row.TokenRecord, 'no such token'> =>
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
  }

  const settings = {
    of: (id: UserId.UserId): Answer<Settings.Settings, 'no such account'> =>
      answering(async () => {
        const account = await theAccount(db, id)
        return E.isLeft(account) ? account : readSettings(db, Row.padded(id))
      }),
    set: (
      account: UserId.UserId,
      path: StoragePath.StoragePath,
      visibility: Visibility.Visibility,
    ): Answer<void, 'no such account'> =>
      ofAccount(account, async (tx) => {
        await setAll(tx, [{ account, path, visibility }])
        return E.right(undefined)
      }),
    remove: (id: UserId.UserId, path: StoragePath.StoragePath): Answer<void, 'no such account' | 'no such setting'> =>
      ofAccount(id, async (tx) => {
        const [gone] = await tx
          .deleteFrom('settings')
          .where('account', '=', Row.padded(id))
          .where('path_sha256', '=', Row.sha256Hex(path))
          .returning('path')
          .execute()
        return gone === undefined
          ? E.left({ error: 'no such setting', account: id, path } as const)
          : E.right(undefined)
      }),
  }

  const triggers = {
    create: (trigger: Row.TriggerRecord): Answer<Row.TriggerRecord, 'trigger exists'> =>
      inTransaction(db, async (tx) => {
        const made = await tx
          .insertInto('triggers')
          .values(Row.triggerRow(trigger))
          .onConflict((conflict) => conflict.doNothing())
          .returning('id')
          .execute()
        return made.length === 0 ? E.left({ error: 'trigger exists', id: trigger.id } as const) : E.right(trigger)
      }),
    /** By id, in byte order. */
    all: answering(async () => {
      const rows = await db.selectFrom('triggers').selectAll().execute()
      return E.right(RA.sort(byId)(rows.map(stored)))
    }) satisfies Answer<ReadonlyArray<StoredTrigger>>,
    /** Also one that is broken. */
    delete: (id: TriggerId.TriggerId): Answer<StoredTrigger, 'no such trigger'> =>
      inTransaction(db, async (tx) => {
        const [row] = await tx.deleteFrom('triggers').where('id', '=', id).returningAll().execute()
        return row === undefined ? E.left({ error: 'no such trigger', id } as const) : E.right(stored(row))
      }),
  }

  return {
    accounts,
    tokens,
    settings,
    triggers,
    /** All of it in one transaction. */
    addAll: (rows: Imported): Answer<void> =>
      inTransaction(db, async (tx) => {
        await inBatches(rows.accounts, (all) => tx.insertInto('accounts').values(all.map(Row.accountRow)).execute())
        await inBatches(rows.tokens, (all) => tx.insertInto('tokens').values(all.map(Row.tokenRow)).execute())
        await inBatches(rows.settings, (all) => setAll(tx, all))
        await inBatches(rows.triggers, (all) => tx.insertInto('triggers').values(all.map(Row.triggerRow)).execute())
        return E.right(undefined)
      }),
  }
}
