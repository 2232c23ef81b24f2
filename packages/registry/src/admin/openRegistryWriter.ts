import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type Kysely, sql } from 'kysely'
import { closing } from '../closing.js'
import { describe, type RegistryUrl } from '../RegistryUrl.js'
import type { Schema } from '../Schema.js'
import { checkPlace } from '../sqlite/checkPlace.js'
import { checkSqliteVersion } from '../sqlite/checkSqliteVersion.js'
import { reasonOf, type Unavailable, unavailable } from '../Unavailable.js'
import { reasonAndWayOut } from '../wayOut.js'
import { accounts } from './accounts.js'
import { migrate } from './migrate.js'
import { openRegistryReader } from './openRegistryReader.js'
import type { RegistryWriter } from './RegistryWriter.js'
import { settings } from './settings.js'
import { tokens } from './tokens.js'
import { triggers } from './triggers.js'
import type { WritableDatabase } from './WritableDatabase.js'
import { writePostgresql } from './writePostgresql.js'
import { writeSqlite } from './writeSqlite.js'

const notOpened =
  (url: RegistryUrl) =>
  (cause: unknown): Unavailable =>
    unavailable(`${describe(url)} cannot be opened for writing: ${reasonAndWayOut(cause)}`, cause)

/** A database that is down is not one that is of another version. */
const answers = (url: RegistryUrl, db: Kysely<Schema>): TE.TaskEither<Unavailable, unknown> =>
  TE.tryCatch(
    () => sql`select 1`.execute(db),
    (cause) => unavailable(`${describe(url)} does not answer: ${reasonOf(cause)}`, cause),
  )

const connect = (url: RegistryUrl): TE.TaskEither<Unavailable, WritableDatabase> =>
  url.engine === 'SQLite'
    ? pipe(
        checkPlace(url, notOpened(url)),
        TE.flatMap(() => TE.tryCatch(() => writeSqlite(url.path), notOpened(url))),
      )
    : TE.right(writePostgresql(url.connectionString))

const check = (url: RegistryUrl, database: WritableDatabase): TE.TaskEither<Unavailable, ReadonlyArray<string>> =>
  pipe(
    url.engine === 'SQLite' ? checkSqliteVersion(database.db, notOpened(url)) : answers(url, database.db),
    TE.flatMap(() => migrate(database, describe(url))),
  )

const writerOver = (db: Kysely<Schema>, migrated: ReadonlyArray<string>): RegistryWriter => ({
  migrated,
  accounts: accounts(db),
  tokens: tokens(db),
  settings: settings(db),
  triggers: triggers(db),
  close: closing(db),
})

/** Opens a registry for writing. Makes it where it is missing, and brings an older one to this version. */
export const openRegistryWriter = (url: RegistryUrl): TE.TaskEither<Unavailable, RegistryWriter> =>
  pipe(
    connect(url),
    TE.flatMap((database) =>
      pipe(
        check(url, database),
        TE.map((migrated) => writerOver(database.db, migrated)),
        TE.tapError(() => TE.fromTask(closing(database.db))),
      ),
    ),
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
