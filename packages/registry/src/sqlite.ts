import { constants, existsSync } from 'node:fs'
import { access, mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { DatabaseSync } from '@photostructure/sqlite'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import {
  CompiledQuery,
  type DatabaseConnection,
  Kysely,
  type SqliteDatabase,
  SqliteDialect,
  SqliteDriver,
  SqliteIntrospector,
  type SqliteStatement,
  sql,
} from 'kysely'
import { checkPlace } from './checkPlace.js'
import { answering, checked, type Database, type ReadDatabase, singleFlight } from './Database.js'
import { describe, type SqliteUrl } from './RegistryUrl.js'
import { appliedSteps, checkSchema, refuseNewer, type Schema } from './Schema.js'
import { cannotWriteBeside, hintOf, isBusy, reasonOf, type Unavailable, unavailable } from './Unavailable.js'

type Driver = InstanceType<typeof DatabaseSync>

/** The name of the file's schema where it is opened for reading. */
const attachedAs = 'registry'

/**
 * A file that is read is attached to an empty database: to detach it closes it at once, with its `-wal` and `-shm`. The
 * driver finalises statements only when they are collected, and a database that is closed before stays open until then.
 */
const attaching = (path: string): Driver => {
  const driver = new DatabaseSync(':memory:', { readOnly: true, timeout: 1000 })
  driver.prepare(`attach ? as ${attachedAs}`).run(path)
  return driver
}

const statement = (driver: Driver, text: string): SqliteStatement => {
  const prepared = driver.prepare(text)
  return {
    reader: prepared.columns().length > 0,
    all: (parameters) => prepared.all(...parameters),
    run: (parameters) => prepared.run(...parameters),
    iterate: (parameters) => prepared.iterate(...parameters),
  }
}

/**
 * The driver, as Kysely wants it. It has the API of `node:sqlite`, which can take its place. Prepared statements are
 * cached: our code has a small, fixed set of them.
 */
const forKysely = (driver: Driver, beforeClose = () => {}): SqliteDatabase => {
  const statements = new Map<string, SqliteStatement>()
  return {
    close: () => {
      statements.clear()
      beforeClose()
      driver.close()
    },
    prepare: (text) => {
      const prepared = statements.get(text) ?? statement(driver, text)
      statements.set(text, prepared)
      return prepared
    },
  }
}

const detach = (driver: Driver): void => driver.exec(`detach ${attachedAs}`)

/** The file must exist. SQLite itself refuses every write through this connection. */
export const readSqlite = (path: string): ReadDatabase => {
  const driver = attaching(path)
  const database = forKysely(driver, () => detach(driver))
  const createIntrospector = (any: Kysely<unknown>) => new SqliteIntrospector(any.withSchema(attachedAs))
  const db = new Kysely<Schema>({ dialect: Object.assign(new SqliteDialect({ database }), { createIntrospector }) })
  const dataVersion = driver.prepare(`pragma ${attachedAs}.data_version`)
  let readable: number | undefined
  const version = async (): Promise<number> => {
    const now = Number(dataVersion.get()?.['data_version'])
    if (now !== readable) refuseNewer(await appliedSteps(db))
    readable = now
    return now
  }
  return {
    db,
    version: singleFlight(version),
    // By a connection of its own: what others ask is answered by what is committed by then.
    inParts: async <Row extends Readonly<Record<Key, string>>, Key extends string>(
      { sql: text, parameters }: CompiledQuery<Row>,
      key: Key,
      rowsOfAPart: number,
      onPart: (rows: ReadonlyArray<Row>) => Promise<boolean>,
    ) => {
      const own = attaching(path)
      const partOf = (where: string) =>
        statement(own, `select * from (${text}) ${where} order by ${key} limit ${rowsOfAPart}`)
      try {
        own.exec('begin')
        const next = partOf(`where ${key} > ?`)
        let rows = partOf('').all(parameters) as ReadonlyArray<Row>
        while ((await onPart(rows)) && rows.length === rowsOfAPart)
          rows = next.all([...parameters, rows.at(-1)?.[key]]) as ReadonlyArray<Row>
        own.exec('commit')
        detach(own)
      } finally {
        own.close()
      }
    },
    snapshot: (read) => db.transaction().execute(read),
    damage: answering(async () => {
      const { rows } = await sql<{ integrity_check: string }>`pragma integrity_check(1)`.execute(db)
      return E.right(rows.map(({ integrity_check }) => integrity_check).filter((said) => said !== 'ok'))
    }),
  }
}

/** Below it two processes that write and checkpoint at once in WAL mode can lose commits. */
const oldest = '3.51.3'

export const isSafeVersion = (version: string): boolean =>
  /^\d/.test(version) && version.localeCompare(oldest, 'en', { numeric: true }) >= 0

const checkSqliteVersion = (db: Kysely<Schema>, onFailure: (cause: unknown) => Unavailable) =>
  pipe(
    TE.tryCatch(() => sql<{ version: string }>`select sqlite_version() as version`.execute(db), onFailure),
    TE.map(({ rows }) => rows[0]?.version ?? ''),
    TE.filterOrElse(isSafeVersion, (version) =>
      unavailable(`SQLite ${version} can lose commits`, undefined, `install a driver with SQLite ${oldest} or later`),
    ),
  )

/** For reading: the file must be there, and of this version. */
export const openSqlite = (url: SqliteUrl): TE.TaskEither<Unavailable, ReadDatabase> => {
  const place = describe(url)
  const notRead = (cause: unknown): Unavailable => {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT')
      return unavailable(
        `no registry at ${place}`,
        cause,
        '`canopy account create` makes one; if there is one elsewhere, let CANOPY_DATA or CANOPY_REGISTRY name its place',
      )
    if (cannotWriteBeside(cause))
      return unavailable(
        `${place} cannot be opened`,
        cause,
        'SQLite keeps two small files beside a registry that is read, ' +
          'so a process that reads it, such as the server, needs a directory that it may write, or PostgreSQL',
      )
    return unavailable(`${place} cannot be read: ${reasonOf(cause)}`, cause, hintOf(cause))
  }
  return pipe(
    TE.tryCatch(() => access(url.path, constants.R_OK), notRead),
    TE.flatMap(() => checkPlace(url, notRead)),
    TE.flatMap(() => TE.tryCatch(async () => readSqlite(url.path), notRead)),
    TE.flatMap(
      checked(({ db }) =>
        pipe(
          checkSqliteVersion(db, notRead),
          TE.flatMap(() => checkSchema(db, place, notRead)),
        ),
      ),
    ),
  )
}

/**
 * Tries again, for half a minute, what found the database locked. Waiting here and not inside SQLite lets the holder of
 * the lock go on even when it lives in this very process.
 */
export const retryWhileBusy = async <A>(run: () => Promise<A>, until = performance.now() + 30_000): Promise<A> => {
  try {
    return await run()
  } catch (cause) {
    if (!isBusy(cause) || performance.now() >= until) throw cause
    // Not all at the same moment again.
    await wait(5 + Math.random() * 20)
    return retryWhileBusy(run, until)
  }
}

/** A plain `begin` would take the write lock only at the first write, and then fail if another process had been faster. */
const beginTransaction = (connection: DatabaseConnection) =>
  retryWhileBusy(() => connection.executeQuery(CompiledQuery.raw('begin immediate')))

/** For no other user. Node's recursive `mkdir` never returns where none can be made: in `/proc`, or below a link to nowhere. */
const makeDirectory = async (path: string): Promise<void> => {
  if (existsSync(path)) return
  await makeDirectory(dirname(path))
  // Another process may make it at the same moment.
  await mkdir(path, 0o750).catch((cause: unknown) => (existsSync(path) ? undefined : Promise.reject(cause)))
}

/** Makes the file for no other user: it holds hashes of tokens, and ids of triggers. Those that SQLite makes beside it follow. */
export const writeSqlite = async (path: string): Promise<Database> => {
  await makeDirectory(dirname(path))
  await (await open(path, 'a', 0o600)).close()
  const driver = new DatabaseSync(path, { timeout: 250, enableForeignKeyConstraints: true })
  const database = forKysely(driver)
  const createDriver = () => Object.assign(new SqliteDriver({ database }), { beginTransaction })
  const db = new Kysely<Schema>({ dialect: Object.assign(new SqliteDialect({ database }), { createDriver }) })
  try {
    // Readers go on reading while an operator writes, and what a command reported is on the disk.
    await retryWhileBusy(() => sql`pragma journal_mode = wal`.execute(db))
    await sql`pragma synchronous = full`.execute(db)
    return { db }
  } catch (cause) {
    await db.destroy()
    throw cause
  }
}

/** For writing: the file, and the directory it is in, are made where they are missing. */
export const openSqliteToWrite = (url: SqliteUrl): TE.TaskEither<Unavailable, Database> => {
  const notOpened = (cause: unknown): Unavailable =>
    unavailable(`${describe(url)} cannot be opened for writing: ${reasonOf(cause)}`, cause, hintOf(cause))
  return pipe(
    checkPlace(url, notOpened),
    TE.flatMap(() => TE.tryCatch(() => writeSqlite(url.path), notOpened)),
    TE.flatMap(checked(({ db }) => checkSqliteVersion(db, notOpened))),
  )
}
