import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type Kysely, sql } from 'kysely'
import { closing } from '../closing.js'
import { describe, type RegistryUrl } from '../RegistryUrl.js'
import type { Schema } from '../Schema.js'
import { checkSqliteVersion } from '../sqlite/checkSqliteVersion.js'
import { reasonOf, type Unavailable, unavailable } from '../Unavailable.js'
import { usable } from '../usable.js'
import { reasonAndWayOut } from '../wayOut.js'
import { accounts } from './accounts.js'
import { migrate } from './migrate.js'
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
    ? TE.tryCatch(() => writeSqlite(url.path), notOpened(url))
    : TE.right(writePostgresql(url.connectionString))

const check = (url: RegistryUrl, database: WritableDatabase): TE.TaskEither<Unavailable, void> =>
  pipe(
    url.engine === 'SQLite' ? checkSqliteVersion(database.db, notOpened(url)) : answers(url, database.db),
    TE.flatMap(() => migrate(database, describe(url))),
  )

const writerOver = (db: Kysely<Schema>): RegistryWriter => ({
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
    TE.flatMap((database) => usable(() => check(url, database))(database)),
    TE.map(({ db }) => writerOver(db)),
  )
