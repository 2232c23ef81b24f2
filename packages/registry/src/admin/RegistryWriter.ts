import type { Area, Failure, Settings, StoragePath, TriggerId, UserId, Visibility } from '@canopy/domain'
import type * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type * as O from 'fp-ts/lib/Option.js'
import type * as T from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { closing, type Database, type ReadDatabase } from '../Database.js'
import { openDatabase } from '../openRegistry.js'
import { describe, type RegistryUrl } from '../RegistryUrl.js'
import type { Account, NewToken, TokenRecord, TriggerRecord } from '../rows.js'
import type { Unavailable } from '../Unavailable.js'
import { addAll, taken } from './importing.js'
import { accounts, settings, tokens, triggers } from './tables.js'

type Path = StoragePath.StoragePath

export interface NewAccount extends Pick<Account, 'id' | 'name' | 'verified'> {
  /** `none` names the area by the account's id. */
  readonly location: O.Option<Area.AreaLocation>
}

export type AccountChange = Partial<Omit<Account, 'id'>>

/** A trigger that Canopy cannot read, since another program wrote it: peeking it answers `external`. */
export interface BrokenTrigger {
  readonly id: string
  /** Names columns, not what they hold. */
  readonly cause: unknown
}

export type StoredTrigger = E.Either<BrokenTrigger, TriggerRecord>

/** Why a change was refused; `external` when the registry itself failed. */
export type Refusal =
  | { readonly error: 'account exists'; readonly id: UserId.UserId }
  | { readonly error: 'no such account'; readonly id: UserId.UserId }
  | { readonly error: 'no such token' }
  | { readonly error: 'no such setting'; readonly path: Path }
  | { readonly error: 'trigger exists'; readonly id: TriggerId.TriggerId }
  | { readonly error: 'no such trigger'; readonly id: TriggerId.TriggerId }
  | Failure.External

export type Refused<Name extends Refusal['error']> = Extract<Refusal, { readonly error: Name }>

type Answer<A, Name extends Refusal['error'] = never> = TE.TaskEither<Refused<Name | 'external'>, A>

/** Of these ids, those that are taken. */
export interface Taken {
  readonly accounts: ReadonlySet<UserId.UserId>
  readonly triggers: ReadonlySet<TriggerId.TriggerId>
}

/** What is added at once: accounts and triggers that are not there yet, and what belongs to accounts that are there then. */
export interface Imported {
  readonly accounts: ReadonlyArray<Account>
  readonly tokens: ReadonlyArray<NewToken>
  /** They take the place of those of the same paths; no two are of one path. */
  readonly settings: ReadonlyArray<{
    readonly account: UserId.UserId
    readonly path: Path
    readonly visibility: Visibility.Visibility
  }>
  readonly triggers: ReadonlyArray<TriggerRecord>
}

/** The writing side of the registry, for operators. Each change is whole or not made, and seen by the next request. */
export interface RegistryWriter {
  /** The migrations that were run when it was opened: all of them where it was made just then. */
  readonly migrated: ReadonlyArray<string>
  readonly accounts: {
    readonly create: (account: NewAccount) => Answer<Account, 'account exists'>
    /** By id, ascending. */
    readonly all: Answer<ReadonlyArray<Account>>
    readonly find: (id: UserId.UserId) => Answer<Account, 'no such account'>
    readonly update: (id: UserId.UserId, change: AccountChange) => Answer<Account, 'no such account'>
    /** With its tokens and settings. What is in its area stays. */
    readonly delete: (id: UserId.UserId) => Answer<Account, 'no such account'>
  }
  readonly tokens: {
    readonly add: (token: NewToken) => Answer<TokenRecord, 'no such account'>
    readonly of: (id: UserId.UserId) => Answer<ReadonlyArray<TokenRecord>, 'no such account'>
    /** By the token itself or by its `tokenId`. The registry forgets it. */
    readonly revoke: (tokenOrId: string) => Answer<TokenRecord, 'no such token'>
  }
  readonly settings: {
    readonly of: (id: UserId.UserId) => Answer<Settings.Settings, 'no such account'>
    readonly set: (id: UserId.UserId, path: Path, to: Visibility.Visibility) => Answer<void, 'no such account'>
    readonly remove: (id: UserId.UserId, path: Path) => Answer<void, 'no such account' | 'no such setting'>
  }
  readonly triggers: {
    readonly create: (trigger: TriggerRecord) => Answer<TriggerRecord, 'trigger exists'>
    /** By id, in byte order. */
    readonly all: Answer<ReadonlyArray<StoredTrigger>>
    /** Also one that is broken. */
    readonly delete: (id: TriggerId.TriggerId) => Answer<StoredTrigger, 'no such trigger'>
  }
  readonly taken: (ids: {
    readonly accounts: ReadonlyArray<UserId.UserId>
    readonly triggers: ReadonlyArray<TriggerId.TriggerId>
  }) => Answer<Taken>
  /** All of it in one transaction. */
  readonly addAll: (rows: Imported) => Answer<void>
  readonly close: T.Task<void>
}

/** What of the registry an operator can look at without changing anything. */
export interface RegistryReader extends Pick<ReadDatabase, 'damage'>, Pick<RegistryWriter, 'taken'> {
  readonly accounts: Pick<RegistryWriter['accounts'], 'all' | 'find'>
  readonly tokens: Pick<RegistryWriter['tokens'], 'of'>
  readonly settings: Pick<RegistryWriter['settings'], 'of'>
  readonly triggers: Pick<RegistryWriter['triggers'], 'all'>
  /** Where it is, without any secret. */
  readonly place: string
  readonly close: RegistryWriter['close']
}

const tablesOf = (database: Database): Omit<RegistryWriter, 'migrated'> => ({
  accounts: accounts(database.db),
  tokens: tokens(database.db),
  settings: settings(database.db),
  triggers: triggers(database.db),
  taken: taken(database.db),
  addAll: addAll(database.db),
  close: closing(database),
})

/** An operator waits longer than a request, and asks one thing after the other. */
export const patient = { connections: 2, connectTimeoutMs: 10_000, statementTimeoutMs: 30_000 }

/** Opens a registry to look at it, as a server does: it must be there, and of this version. Creates and changes nothing. */
export const openRegistryReader = (url: RegistryUrl): TE.TaskEither<Unavailable, RegistryReader> =>
  pipe(
    openDatabase(url, patient),
    TE.map((database) => ({ ...tablesOf(database), place: describe(url), damage: database.damage })),
  )

const openToWrite = (url: RegistryUrl, patience: typeof patient): TE.TaskEither<Unavailable, Database> =>
  url.engine === 'SQLite'
    ? async () => (await import('../sqlite.js')).openSqliteToWrite(url)()
    : async () => (await import('../postgresql.js')).openPostgresqlToWrite(url, patience)()

interface Migrated extends Database, Pick<RegistryWriter, 'migrated'> {}

/** Makes a registry where it is missing, and brings an older one to this version. */
export const openMigrated = (url: RegistryUrl, patience = patient): TE.TaskEither<Unavailable, Migrated> =>
  pipe(
    openToWrite(url, patience),
    TE.flatMap((database) =>
      pipe(
        async () => (await import('./migrations.js')).migrate(url, database.db)(),
        TE.map((migrated) => ({ ...database, migrated })),
        TE.tapError(() => TE.fromTask(closing(database))),
      ),
    ),
  )

/** Opens a registry for writing. Makes it where it is missing, and brings an older one to this version. */
export const openRegistryWriter = (url: RegistryUrl): TE.TaskEither<Unavailable, RegistryWriter> =>
  pipe(
    openMigrated(url),
    TE.map((database) => ({ ...tablesOf(database), migrated: database.migrated })),
  )

/** The same of a registry that is there already: where there is none, it makes none. */
export const openExistingRegistryWriter = (url: RegistryUrl): TE.TaskEither<Unavailable, RegistryWriter> =>
  pipe(
    openRegistryReader(url),
    TE.matchE(
      (problem) => (problem.isOlder === true ? TE.right(undefined) : TE.left(problem)),
      ({ close }) => TE.fromTask<void, Unavailable>(close),
    ),
    TE.flatMap(() => openRegistryWriter(url)),
  )
