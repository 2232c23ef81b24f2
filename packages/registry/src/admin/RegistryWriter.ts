import { pipe } from 'fp-ts/lib/function.js'
import * as T from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { closing, type Database, type ReadDatabase } from '../Database.js'
import { openDatabase } from '../openRegistry.js'
import { describe, type RegistryUrl } from '../RegistryUrl.js'
import type { Unavailable } from '../Unavailable.js'
import { migrate } from './migrations.js'
import { type Tables, tablesOf } from './tables.js'

/** The writing side of the registry, for operators. */
export interface RegistryWriter extends Tables {
  /** The migrations that were run when it was opened: all of them where it was made just then. */
  readonly migrated: ReadonlyArray<string>
  readonly close: T.Task<void>
}

/** What of the registry an operator can look at without changing anything. */
export interface RegistryReader extends Pick<ReadDatabase, 'damage'>, Pick<RegistryWriter, 'close'> {
  readonly accounts: Pick<Tables['accounts'], 'all' | 'find'>
  readonly tokens: Pick<Tables['tokens'], 'of'>
  readonly settings: Pick<Tables['settings'], 'of'>
  readonly triggers: Pick<Tables['triggers'], 'all'>
  /** Where it is, without any secret. */
  readonly place: string
}

/** An operator waits longer than a request, and asks one thing after the other. */
export const patient = { connections: 2, connectTimeoutMs: 10_000, statementTimeoutMs: 30_000 }

/** Opens a registry to look at it, as a server does: it must be there, and of this version. Creates and changes nothing. */
export const openRegistryReader = (url: RegistryUrl): TE.TaskEither<Unavailable, RegistryReader> =>
  pipe(
    openDatabase(url, patient),
    TE.map((database) => ({
      ...tablesOf(database.db),
      place: describe(url),
      damage: database.damage,
      close: closing(database),
    })),
  )

/** What keeps a reader from it, if anything does. */
export const problemOf = (url: RegistryUrl): T.Task<Unavailable | undefined> =>
  pipe(
    openDatabase(url, patient),
    TE.matchE(
      (problem) => T.of<Unavailable | undefined>(problem),
      (database) => T.map(() => undefined)(closing(database)),
    ),
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
        migrate(url, database.db),
        TE.map((migrated) => ({ ...database, migrated })),
        TE.tapError(() => TE.fromTask(closing(database))),
      ),
    ),
  )

/** Opens a registry for writing. Makes it where it is missing, and brings an older one to this version. */
export const openRegistryWriter = (url: RegistryUrl): TE.TaskEither<Unavailable, RegistryWriter> =>
  pipe(
    openMigrated(url),
    TE.map((database) => ({
      ...tablesOf(database.db),
      migrated: database.migrated,
      close: closing(database),
    })),
  )

/** The same of a registry that is there already: where there is none, it makes none. */
export const openExistingRegistryWriter = (url: RegistryUrl): TE.TaskEither<Unavailable, RegistryWriter> =>
  pipe(
    TE.fromTask(problemOf(url)),
    TE.flatMap((problem) =>
      problem === undefined || problem.isOlder === true ? openRegistryWriter(url) : TE.left(problem),
    ),
  )
