import { constants, existsSync } from 'node:fs'
import { access, mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setImmediate as tick, setTimeout as wait } from 'node:timers/promises'
import { oncePerTick } from '@canopy/scheduling'
import { DatabaseSync } from '@photostructure/sqlite'
import * as E from 'fp-ts/lib/Either.js'
import { constVoid } from 'fp-ts/lib/function.js'
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
import { batchSize, type Database, openChecked, type Query, type ReadDatabase, tryQuery } from './Database.js'
import { describe, type SqliteUrl } from './RegistryUrl.js'
import { appliedMigrations, migrationTable, refuseNewer, type Schema, schemaProblem } from './Schema.js'
import { cannotWriteBeside, failedTo, isBusy, type Unavailable, unavailable } from './Unavailable.js'

type Driver = InstanceType<typeof DatabaseSync>

/** Longer values, which Canopy does not write, could exhaust the memory. */
const limits = { length: 2 ** 26 }

/** The schema name of a file that is open for reading. */
const attachedAs = 'registry'

/**
 * Attaches the file to a database in memory, because `detach` closes the file, its `-wal` and its `-shm` at once. `close` would
 * keep them open until the garbage collector finalises the driver's statements.
 */
const attach = (path: string): Driver => {
  const driver = new DatabaseSync(':memory:', { readOnly: true, timeout: 1000, limits })
  driver.prepare(`attach ? as ${attachedAs}`).run(path)
  return driver
}

const prepare = (driver: Driver, text: string): SqliteStatement => {
  const prepared = driver.prepare(text)
  return {
    reader: prepared.columns().length > 0,
    all: (parameters) => prepared.all(...parameters),
    run: (parameters) => prepared.run(...parameters),
    iterate: (parameters) => prepared.iterate(...parameters),
  }
}

/** Adapts the driver, which has the API of `node:sqlite`, to Kysely. Our code has few statements: all stay prepared. */
const forKysely = (driver: Driver, beforeClose = () => {}): SqliteDatabase => {
  const statements = new Map<string, SqliteStatement>()
  return {
    close: () => {
      statements.clear()
      try {
        beforeClose()
      } finally {
        driver.close()
      }
    },
    prepare: (text) => {
      const prepared = statements.get(text) ?? prepare(driver, text)
      statements.set(text, prepared)
      return prepared
    },
  }
}

const createIntrospector = (db: Kysely<unknown>) => new SqliteIntrospector(db.withSchema(attachedAs))

/** Opens a new connection to an existing file. SQLite itself refuses every write through it. */
const connectReadOnly = (path: string) => {
  const driver = attach(path)
  const database = forKysely(driver, () => driver.exec(`detach ${attachedAs}`))
  const dialect = Object.assign(new SqliteDialect({ database }), { createIntrospector })
  return { driver, db: new Kysely<Schema>({ dialect }) }
}

const batches: Database['batches'] = async function* <Row>(_: Kysely<Schema>, query: Query<Row>) {
  let batch: Array<Row> = []
  for await (const row of query.stream(batchSize)) {
    batch.push(row)
    if (batch.length < batchSize) continue
    yield batch
    batch = []
    // SQLite runs on this thread: answer other requests first.
    await tick()
  }
  if (batch.length > 0) yield batch
}

export const readSqlite = (path: string): ReadDatabase => {
  const { driver, db } = connectReadOnly(path)
  const dataVersion = driver.prepare(`pragma ${attachedAs}.data_version`)
  let checked: number | undefined
  // The pragma takes several system calls, and every registry call reads the version.
  const version = oncePerTick(async () => {
    const now = Number(dataVersion.get()?.['data_version'])
    if (now !== checked) refuseNewer(await appliedMigrations(db))
    checked = now
    return now
  })
  return {
    db,
    batches,
    version,
    snapshot: async (read) => {
      const own = connectReadOnly(path).db
      try {
        return await own.transaction().execute(read)
      } finally {
        // After a failed read, closing may fail too, because a statement is open. The error of the read counts.
        await own.destroy().catch(constVoid)
      }
    },
    damage: tryQuery(async () => {
      const { rows } = await sql<{ integrity_check: string }>`pragma integrity_check(1)`.execute(db)
      return E.right(rows.map(({ integrity_check }) => integrity_check).filter((finding) => finding !== 'ok'))
    }),
  }
}

/** Older versions can lose commits in WAL mode when one process writes while another runs a checkpoint. */
const minVersion = '3.51.3'

const byParts = RA.getOrd(N.Ord)
const partsOf = (version: string): ReadonlyArray<number> => version.split('.').map(Number)

export const isSafeVersion = (version: string): boolean =>
  /^\d/.test(version) && byParts.compare(partsOf(version), partsOf(minVersion)) >= 0

const libraryProblem = async (db: Kysely<Schema>): Promise<Unavailable | undefined> => {
  const { rows } = await sql<{ version: string }>`select sqlite_version() as version`.execute(db)
  const [{ version }] = rows as [{ version: string }]
  return isSafeVersion(version)
    ? undefined
    : unavailable(
        `SQLite ${version} can lose commits`,
        `Canopy needs SQLite ${minVersion} or later: reinstall Canopy's dependencies with \`npm run setup\``,
      )
}

/** Opens the file unless its location is unsafe. */
const openIfSafe = async <D>(url: SqliteUrl, open: () => D | Promise<D>): Promise<E.Either<Unavailable, D>> => {
  const problem = checkPlace(url)
  return problem === undefined ? E.right(await open()) : E.left(problem)
}

/** Opens a registry for reading. The file must exist, with the tables of this version. */
export const openSqlite = (url: SqliteUrl): TE.TaskEither<Unavailable, ReadDatabase> => {
  const place = describe(url)
  const explain = (cause: unknown): Unavailable => {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT')
      return unavailable(
        `no registry at ${place}`,
        'run `canopy account create` to create one or, if yours is elsewhere, set CANOPY_DATA or CANOPY_REGISTRY',
        cause,
      )
    if (cannotWriteBeside(cause))
      return unavailable(
        `${place} cannot be opened`,
        'SQLite keeps two small files beside an open registry, so a process that only reads it, such as the server, ' +
          'also needs write access to the directory. Grant it, or use PostgreSQL',
        cause,
      )
    return failedTo(`${place} cannot be read`)(cause)
  }
  return openChecked(
    async () => {
      await access(url.path, constants.R_OK)
      return openIfSafe(url, () => readSqlite(url.path))
    },
    async ({ db }) => (await libraryProblem(db)) ?? schemaProblem(db, place),
    explain,
  )
}

/**
 * Retries for half a minute while the database is locked. SQLite itself would wait on this thread, and block a lock holder
 * of the same process.
 */
export const retryWhileBusy = async <A>(run: () => Promise<A>, deadline = performance.now() + 30_000): Promise<A> => {
  try {
    return await run()
  } catch (cause) {
    if (!isBusy(cause) || performance.now() >= deadline) throw cause
    // Spread the attempts of concurrent writers.
    await wait(5 + Math.random() * 20)
    return retryWhileBusy(run, deadline)
  }
}

/**
 * Begins with `immediate`. A plain `begin` would take the write lock only at the first write, and fail there if another process has
 * written in the meantime.
 */
const beginTransaction = (connection: DatabaseConnection) =>
  retryWhileBusy(() => connection.executeQuery(CompiledQuery.raw('begin immediate')))

/**
 * Makes the directory and its parents, closed to users outside the group. Not with `recursive`, which never returns in `/proc` or
 * below a dangling link.
 */
const makeDirectory = async (path: string): Promise<void> => {
  if (existsSync(path)) return
  await makeDirectory(dirname(path))
  // Another process may have made it since.
  await mkdir(path, 0o750).catch((cause: unknown) => (existsSync(path) ? undefined : Promise.reject(cause)))
}

/** Refuses the database of another program, which would not expect our tables or a write-ahead log. */
const refuseForeign = async (db: Kysely<Schema>): Promise<void> => {
  const tables = await db.introspection.getTables()
  if (tables.length > 0 && !tables.some(({ name }) => name === migrationTable))
    throw new Error('it belongs to another program: set CANOPY_REGISTRY to another file')
}

/**
 * Opens the file for writing. A new file has mode 0600, because it holds hashes of tokens and ids of triggers. SQLite gives `-wal`
 * and `-shm` the same mode.
 */
export const writeSqlite = async (path: string): Promise<Database> => {
  await makeDirectory(dirname(path))
  // Not an existing one: closing it would release the locks that this process holds on it.
  if (!existsSync(path)) await (await open(path, 'a', 0o600)).close()
  const driver = new DatabaseSync(path, { timeout: 250, enableForeignKeyConstraints: true, limits })
  const database = forKysely(driver)
  const createDriver = () => Object.assign(new SqliteDriver({ database }), { beginTransaction })
  const db = new Kysely<Schema>({ dialect: Object.assign(new SqliteDialect({ database }), { createDriver }) })
  try {
    await refuseForeign(db)
    // With WAL, a writer blocks no reader. With `full`, a change is on the disk once a command reports it.
    await retryWhileBusy(() => sql`pragma journal_mode = wal`.execute(db))
    await sql`pragma synchronous = full`.execute(db)
    return { db, batches }
  } catch (cause) {
    await db.destroy()
    throw cause
  }
}

/** Opens a registry for writing. Creates the file and its directory if they are missing. */
export const openSqliteToWrite = (url: SqliteUrl): TE.TaskEither<Unavailable, Database> =>
  openChecked(
    () => openIfSafe(url, () => writeSqlite(url.path)),
    ({ db }) => libraryProblem(db),
    failedTo(`${describe(url)} cannot be opened for writing`),
  )
