import {
  AccessToken,
  Area,
  type Failure,
  Name,
  type Rule,
  Rules,
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
import { inTransaction, tryQuery } from '../Database.js'
import { readSettings } from '../readSettings.js'
import * as Row from '../rows.js'
import type { Schema } from '../Schema.js'
import type { Named, Result } from './WriteError.js'

export interface NewAccount extends Pick<Row.Account, 'id' | 'name' | 'verified'> {
  /** By default, the account's id names the area. */
  readonly location: O.Option<Area.AreaLocation>
}

export type AccountChange = Partial<Omit<Row.Account, 'id'>>

/** A trigger that another program wrote and Canopy cannot decode. A peek of it fails with `external`. */
export interface BrokenTrigger {
  readonly id: string
  /** Names columns, never their values. */
  readonly cause: unknown
}

export type StoredTrigger = E.Either<BrokenTrigger, Row.TriggerRecord>

interface Setting {
  readonly account: UserId.UserId
  readonly path: StoragePath.StoragePath
  readonly visibility: Visibility.Visibility
}

interface AccountRule extends Rule {
  readonly account: UserId.UserId
}

/** Rows of one import. Accounts and triggers must be new. */
export interface ImportedRows {
  readonly accounts: ReadonlyArray<Row.Account>
  readonly tokens: ReadonlyArray<Row.NewToken>
  /** At most one per path of an account. Replaces the setting of that path. */
  readonly settings: ReadonlyArray<Setting>
  /** Replaces the rule of that pattern. */
  readonly rules: ReadonlyArray<AccountRule>
  readonly triggers: ReadonlyArray<Row.TriggerRecord>
}

/** A statement of SQLite takes at most 32,766 parameters. */
const inBatches = async <A>(
  all: ReadonlyArray<A>,
  run: (batch: ReadonlyArray<A>) => Promise<unknown>,
): Promise<void> => {
  for (const batch of RA.chunksOf(1_000)(all)) await run(batch)
}

const findAccount = async (
  db: Kysely<Schema>,
  id: UserId.UserId,
): Promise<E.Either<Named<'no such account'>, Row.Account>> => {
  const [row] = await db.selectFrom('accounts').selectAll().where('id', '=', Row.padded(id)).execute()
  return row === undefined ? E.left({ error: 'no such account', id }) : Row.decodeAccount(row)
}

const upsertSettings = (db: Kysely<Schema>, settings: ReadonlyArray<Setting>) =>
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

/** The transaction of the caller rolls back if an account exceeds its bounds. */
const upsertRules = async (
  db: Kysely<Schema>,
  rules: ReadonlyArray<AccountRule>,
): Promise<E.Either<Failure.External | Named<'too many rules'>, void>> => {
  await inBatches(rules, (batch) =>
    db
      .insertInto('rules')
      .values(batch.map(({ account, pattern, visibility }) => ({ account: Row.padded(account), pattern, visibility })))
      .onConflict((conflict) =>
        conflict.columns(['account', 'pattern']).doUpdateSet(({ ref }) => ({ visibility: ref('excluded.visibility') })),
      )
      .execute(),
  )
  for (const account of new Set(rules.map((rule) => rule.account))) {
    const rows = await db.selectFrom('rules').selectAll().where('account', '=', Row.padded(account)).execute()
    const all = E.traverseArray(Row.decodeRule)(rows)
    if (E.isLeft(all)) return all
    if (O.isNone(Rules.fromRules(all.right))) return E.left({ error: 'too many rules', account } as const)
  }
  return E.right(undefined)
}

const decodeStored = (row: { readonly id: string }): StoredTrigger =>
  pipe(
    Row.decodeTrigger(row),
    E.mapLeft(({ cause }) => ({ id: row.id, cause })),
  )

// Sorted here: the collation of the database is unknown.
const byId = Ord.contramap((trigger: StoredTrigger) => E.toUnion(trigger).id)(Name.byBytes)

/** Changes the rows of an existing account in one transaction. */
const changeAccount = <L, A>(
  db: Kysely<Schema>,
  id: UserId.UserId,
  change: (tx: Kysely<Schema>, account: Row.Account) => Promise<E.Either<L, A>>,
): TE.TaskEither<Named<'no such account'> | L, A> =>
  inTransaction(db, async (tx): Promise<E.Either<Named<'no such account'> | L, A>> => {
    const account = await findAccount(tx, id)
    return E.isLeft(account) ? account : change(tx, account.right)
  })

const accountsIn = (db: Kysely<Schema>) => ({
  create: ({ id, name, verified, location }: NewAccount): Result<Row.Account, 'account exists'> =>
    inTransaction(db, async (tx) => {
      const area = O.getOrElse(() => Area.location(id.toString()))(location)
      const account = { id, name, verified, location: area, isMountPoint: false, areaMade: false }
      const created = await tx
        .insertInto('accounts')
        .values(Row.accountRow(account))
        .onConflict((conflict) => conflict.doNothing())
        .returning('id')
        .execute()
      return created.length === 0 ? E.left({ error: 'account exists', id } as const) : E.right(account)
    }),
  /** By id, ascending. */
  all: tryQuery(async () =>
    E.traverseArray(Row.decodeAccount)(await db.selectFrom('accounts').selectAll().orderBy('id').execute()),
  ) satisfies Result<ReadonlyArray<Row.Account>>,
  find: (id: UserId.UserId): Result<Row.Account, 'no such account'> => tryQuery(() => findAccount(db, id)),
  update: (id: UserId.UserId, change: AccountChange): Result<Row.Account, 'no such account'> =>
    changeAccount(db, id, async (tx, before) => {
      const account = { ...before, ...change }
      await tx.updateTable('accounts').set(Row.accountRow(account)).where('id', '=', Row.padded(id)).execute()
      return E.right(account)
    }),
  /** Foreign keys delete its tokens, settings and rules. The files of its area stay. */
  delete: (id: UserId.UserId): Result<Row.Account, 'no such account'> =>
    changeAccount(db, id, async (tx, account) => {
      await tx.deleteFrom('accounts').where('id', '=', Row.padded(id)).execute()
      return E.right(account)
    }),
})

const tokensIn = (db: Kysely<Schema>) => ({
  add: (token: Row.NewToken): Result<Row.TokenRecord, 'no such account'> =>
    changeAccount(db, token.account, async (tx) => {
      await tx.insertInto('tokens').values(Row.tokenRow(token)).execute()
      return Row.decodeToken(Row.tokenRow(token))
    }),
  of: (id: UserId.UserId): Result<ReadonlyArray<Row.TokenRecord>, 'no such account'> =>
    tryQuery(async () => {
      const account = await findAccount(db, id)
      if (E.isLeft(account)) return account
      const rows = db.selectFrom('tokens').selectAll().where('account', '=', Row.padded(id)).orderBy('sha256')
      return E.traverseArray(Row.decodeToken)(await rows.execute())
    }),
  /** Takes the token itself or its `tokenId`, and deletes its row. */
  revoke: (tokenOrId: string): Result<Row.TokenRecord, 'no such token'> =>
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

const settingsIn = (db: Kysely<Schema>) => ({
  of: (id: UserId.UserId): Result<Settings.Settings, 'no such account'> =>
    tryQuery(async () => {
      const account = await findAccount(db, id)
      return E.isLeft(account) ? account : readSettings(db, Row.padded(id))
    }),
  set: (
    account: UserId.UserId,
    path: StoragePath.StoragePath,
    visibility: Visibility.Visibility,
  ): Result<void, 'no such account'> =>
    changeAccount(db, account, async (tx) => {
      await upsertSettings(tx, [{ account, path, visibility }])
      return E.right(undefined)
    }),
  remove: (
    account: UserId.UserId,
    path: StoragePath.StoragePath,
  ): Result<void, 'no such account' | 'no such setting'> =>
    changeAccount(db, account, async (tx) => {
      const [removed] = await tx
        .deleteFrom('settings')
        .where('account', '=', Row.padded(account))
        .where('path_sha256', '=', Row.sha256Hex(path))
        .returning('path')
        .execute()
      return removed === undefined ? E.left({ error: 'no such setting', account, path } as const) : E.right(undefined)
    }),
})

const rulesIn = (db: Kysely<Schema>) => ({
  /** At most one per pattern. Replaces the rule of that pattern. */
  add: (account: UserId.UserId, rules: ReadonlyArray<Rule>): Result<void, 'no such account' | 'too many rules'> => {
    const added = rules.map((rule) => ({ ...rule, account }))
    return changeAccount(db, account, (tx) => upsertRules(tx, added))
  },
  remove: (account: UserId.UserId, pattern: Rule['pattern']): Result<void, 'no such account' | 'no such rule'> =>
    changeAccount(db, account, async (tx) => {
      const [removed] = await tx
        .deleteFrom('rules')
        .where('account', '=', Row.padded(account))
        .where('pattern', '=', pattern)
        .returning('pattern')
        .execute()
      return removed === undefined ? E.left({ error: 'no such rule', account, pattern } as const) : E.right(undefined)
    }),
})

const triggersIn = (db: Kysely<Schema>) => ({
  create: (trigger: Row.TriggerRecord): Result<Row.TriggerRecord, 'trigger exists'> =>
    inTransaction(db, async (tx) => {
      const created = await tx
        .insertInto('triggers')
        .values(Row.triggerRow(trigger))
        .onConflict((conflict) => conflict.doNothing())
        .returning('id')
        .execute()
      return created.length === 0 ? E.left({ error: 'trigger exists', id: trigger.id } as const) : E.right(trigger)
    }),
  /** By id, in byte order. */
  all: tryQuery(async () => {
    const rows = await db.selectFrom('triggers').selectAll().execute()
    return E.right(RA.sort(byId)(rows.map(decodeStored)))
  }) satisfies Result<ReadonlyArray<StoredTrigger>>,
  /** Deletes a broken trigger too. */
  delete: (id: TriggerId.TriggerId): Result<StoredTrigger, 'no such trigger'> =>
    inTransaction(db, async (tx) => {
      const [row] = await tx.deleteFrom('triggers').where('id', '=', id).returningAll().execute()
      return row === undefined ? E.left({ error: 'no such trigger', id } as const) : E.right(decodeStored(row))
    }),
})

export type Tables = ReturnType<typeof tablesOf>

/** The operations of operators. Each one runs in one transaction, and the next request sees it. */
export const tablesOf = (db: Kysely<Schema>) => ({
  accounts: accountsIn(db),
  tokens: tokensIn(db),
  settings: settingsIn(db),
  rules: rulesIn(db),
  triggers: triggersIn(db),
  addAll: (rows: ImportedRows): Result<void, 'too many rules'> =>
    inTransaction(db, async (tx) => {
      await inBatches(rows.accounts, (batch) => tx.insertInto('accounts').values(batch.map(Row.accountRow)).execute())
      await inBatches(rows.tokens, (batch) => tx.insertInto('tokens').values(batch.map(Row.tokenRow)).execute())
      await inBatches(rows.settings, (batch) => upsertSettings(tx, batch))
      const exceeded = await upsertRules(tx, rows.rules)
      if (E.isLeft(exceeded)) return exceeded
      await inBatches(rows.triggers, (batch) => tx.insertInto('triggers').values(batch.map(Row.triggerRow)).execute())
      return E.right(undefined)
    }),
})
