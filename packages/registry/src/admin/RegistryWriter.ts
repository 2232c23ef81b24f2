import { pipe } from 'fp-ts/lib/function.js'
import * as T from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { close, type Database, type ReadDatabase } from '../Database.js'
import { openDatabase } from '../openRegistry.js'
import type { Limits } from '../postgresqlPool.js'
import { describe, type RegistryUrl } from '../RegistryUrl.js'
import type { Unavailable } from '../Unavailable.js'
import { migrate } from './migrations.js'
import { type Tables, tablesOf } from './tables.js'

/** The writing side of the registry, for operators. */
export interface RegistryWriter extends Tables {
  /** The migrations that opening it has run: all of them for a new registry. */
  readonly migrated: ReadonlyArray<string>
  readonly close: T.Task<void>
}

/** The part of the registry that operators can read without a change. */
export interface RegistryReader extends Pick<ReadDatabase, 'damage'>, Pick<RegistryWriter, 'close'> {
  readonly accounts: Pick<Tables['accounts'], 'all' | 'find'>
  readonly tokens: Pick<Tables['tokens'], 'of'>
  readonly settings: Pick<Tables['settings'], 'of'>
  readonly triggers: Pick<Tables['triggers'], 'all'>
  /** The URL of the registry without secrets. */
  readonly place: string
}

/** An operator waits longer than a request, and runs one query after the other. */
export const commandLimits: Limits = { maxConnections: 2, connectTimeoutMs: 10_000, statementTimeoutMs: 30_000 }

/** Opens an existing registry of this version for reading. Creates and changes nothing. */
export const openRegistryReader = (url: RegistryUrl): TE.TaskEither<Unavailable, RegistryReader> =>
  pipe(
    openDatabase(url, commandLimits),
    TE.map((database) => ({
      ...tablesOf(database.db),
      place: describe(url),
      damage: database.damage,
      close: close(database),
    })),
  )

/** Checks whether {@link openRegistryReader} succeeds. */
export const findProblem = (url: RegistryUrl): T.Task<Unavailable | undefined> =>
  pipe(
    openDatabase(url, commandLimits),
    TE.matchE(
      (problem) => T.of<Unavailable | undefined>(problem),
      (database) => T.map(() => undefined)(close(database)),
    ),
  )

const openToWrite = (url: RegistryUrl, limits: Limits): TE.TaskEither<Unavailable, Database> =>
  url.engine === 'SQLite'
    ? async () => (await import('../sqlite.js')).openSqliteToWrite(url)()
    : async () => (await import('../postgresql.js')).openPostgresqlToWrite(url, limits)()

interface Migrated extends Database, Pick<RegistryWriter, 'migrated'> {}

/** Creates a missing registry and migrates an older one. */
export const openMigrated = (url: RegistryUrl, limits = commandLimits): TE.TaskEither<Unavailable, Migrated> =>
  pipe(
    openToWrite(url, limits),
    TE.flatMap((database) =>
      pipe(
        migrate(url, database.db),
        TE.map((migrated) => ({ ...database, migrated })),
        TE.tapError(() => TE.fromTask(close(database))),
      ),
    ),
  )

/** Opens a registry for writing. Creates a missing one and migrates an older one. */
export const openRegistryWriter = (url: RegistryUrl): TE.TaskEither<Unavailable, RegistryWriter> =>
  pipe(
    openMigrated(url),
    TE.map((database) => ({
      ...tablesOf(database.db),
      migrated: database.migrated,
      close: close(database),
    })),
  )

/** Opens an existing registry for writing, and migrates an older one. Never creates one. */
export const openExistingRegistryWriter = (url: RegistryUrl): TE.TaskEither<Unavailable, RegistryWriter> =>
  pipe(
    TE.fromTask(findProblem(url)),
    TE.flatMap((problem) =>
      problem === undefined || problem.isOlder === true ? openRegistryWriter(url) : TE.left(problem),
    ),
  )
