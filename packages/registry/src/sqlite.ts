import { constants, existsSync } from 'node:fs'
import { access, mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { singleFlight } from '@canopy/scheduling'
import { DatabaseSync } from '@photostructure/sqlite'
import * as E from 'fp-ts/lib/Either.js'
import * as N from 'fp-ts/lib/number.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
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
import { answering, type Database, opening, type ReadDatabase } from './Database.js'
import { describe, type SqliteUrl } from './RegistryUrl.js'
import { appliedSteps, refuseNewer, type Schema, schemaProblem } from './Schema.js'
import { cannotWriteBeside, failedTo, isBusy, type Unavailable, unavailable } from './Unavailable.js'

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

const createIntrospector = (any: Kysely<unknown>) => new SqliteIntrospector(any.withSchema(attachedAs))

/** A connection of its own. The file must exist. SQLite itself refuses every write through this connection. */
const connectionTo = (path: string) => {
  const driver = attaching(path)
  const database = forKysely(driver, () => driver.exec(`detach ${attachedAs}`))
  const dialect = Object.assign(new SqliteDialect({ database }), { createIntrospector })
  return { driver, db: new Kysely<Schema>({ dialect }) }
}

export const readSqlite = (path: string): ReadDatabase => {
  const { driver, db } = connectionTo(path)
  const dataVersion = driver.prepare(`pragma ${attachedAs}.data_version`)
  const flight = singleFlight<number>()
  let readable: number | undefined
  const version = async (): Promise<number> => {
    const now = Number(dataVersion.get()?.['data_version'])
    if (now !== readable) refuseNewer(await appliedSteps(db))
    readable = now
    return now
  }
  return {
    db,
    version: () => flight('version', version),
    snapshot: async (read) => {
      const own = connectionTo(path).db
      try {
        return await own.transaction().execute(read)
      } finally {
        await own.destroy()
      }
    },
    damage: answering(async () => {
      const { rows } = await sql<{ integrity_check: string }>`pragma integrity_check(1)`.execute(db)
      return E.right(rows.map(({ integrity_check }) => integrity_check).filter((said) => said !== 'ok'))
    }),
  }
}

/** Below it two processes that write and checkpoint at once in WAL mode can lose commits. */
const oldest = '3.51.3'

const byParts = RA.getOrd(N.Ord)
const partsOf = (version: string): ReadonlyArray<number> => version.split('.').map(Number)

export const isSafeVersion = (version: string): boolean =>
  /^\d/.test(version) && byParts.compare(partsOf(version), partsOf(oldest)) >= 0

const libraryProblem = async (db: Kysely<Schema>): Promise<Unavailable | undefined> => {
  const { rows } = await sql<{ version: string }>`select sqlite_version() as version`.execute(db)
  const [{ version }] = rows as [{ version: string }]
  return isSafeVersion(version)
    ? undefined
    : unavailable(`SQLite ${version} can lose commits`, `install a driver with SQLite ${oldest} or later`)
}

/** Where the place is right. */
const inPlace = async <D>(url: SqliteUrl, open: () => D | Promise<D>): Promise<E.Either<Unavailable, D>> => {
  const problem = checkPlace(url)
  return problem === undefined ? E.right(await open()) : E.left(problem)
}

/** For reading: the file must be there, and of this version. */
export const openSqlite = (url: SqliteUrl): TE.TaskEither<Unavailable, ReadDatabase> => {
  const place = describe(url)
  const notRead = (cause: unknown): Unavailable => {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT')
      return unavailable(
        `no registry at ${place}`,
        '`canopy account create` makes one; if there is one elsewhere, let CANOPY_DATA or CANOPY_REGISTRY name its place',
        cause,
      )
    if (cannotWriteBeside(cause))
      return unavailable(
        `${place} cannot be opened`,
        'SQLite keeps two small files beside a registry that is read, ' +
          'so a process that reads it, such as the server, needs a directory that it may write, or PostgreSQL',
        cause,
      )
    return failedTo(`${place} cannot be read`)(cause)
  }
  return opening(
    async () => {
      await access(url.path, constants.R_OK)
      return inPlace(url, () => readSqlite(url.path))
    },
    async ({ db }) => (await libraryProblem(db)) ?? schemaProblem(db, place),
    notRead,
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
export const openSqliteToWrite = (url: SqliteUrl): TE.TaskEither<Unavailable, Database> =>
  opening(
    () => inPlace(url, () => writeSqlite(url.path)),
    ({ db }) => libraryProblem(db),
    failedTo(`${describe(url)} cannot be opened for writing`),
  )
