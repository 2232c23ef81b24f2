import { singleFlight } from '@canopy/scheduling'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import {
  CompiledQuery,
  type DatabaseConnection,
  type Expression,
  Kysely,
  PostgresDialect,
  PostgresDriver,
  sql,
} from 'kysely'
import pLimit from 'p-limit'
import { batchSize, type Database, openChecked, type ReadDatabase } from './Database.js'
import { type Limits, PostgresqlPool } from './postgresqlPool.js'
import { describe, type PostgresqlUrl } from './RegistryUrl.js'
import { migrationTable, refuseNewer, type Schema, schemaProblem } from './Schema.js'
import { driverReason, type Unavailable, unavailable } from './Unavailable.js'

/**
 * Limits are set in each transaction and never in a session: a pooler may give each transaction another session. The driver
 * runs both statements in one round trip.
 */
const beginWith = (modes: string, { statementTimeoutMs }: Limits): string =>
  `begin ${modes}; set local statement_timeout = ${statementTimeoutMs}`

/**
 * The current snapshot changes with every transaction that writes. The start time tells two runs of a server apart: after a
 * restore, or a failover, the same numbers come again. The snapshot of a standby ignores the transactions of its primary, so
 * there the replayed position of the log is added.
 */
const version = sql<{ version: string; applied: ReadonlyArray<string> }>`
  select concat_ws(' ', pg_current_snapshot(), pg_postmaster_start_time(), pg_last_wal_replay_lsn()) as version,
    array(select name::text from ${sql.table(migrationTable)}) as applied`

/** pg-cursor would need connections without pipelining. Transactions close the cursor if the caller leaves early. */
async function* batches<Row>(tx: Kysely<Schema>, query: Expression<Row>): AsyncGenerator<ReadonlyArray<Row>> {
  await sql`declare batches no scroll cursor for ${query}`.execute(tx)
  let rows: ReadonlyArray<Row>
  do {
    rows = (await sql<Row>`fetch ${sql.lit(batchSize)} from batches`.execute(tx)).rows
    if (rows.length > 0) yield rows
  } while (rows.length === batchSize)
  await sql`close batches`.execute(tx)
}

/** A snapshot holds its connection for long. The other connections answer all other queries. */
const maxSnapshots = 3

/** Every transaction is read-only: PostgreSQL itself refuses a write. */
export const readPostgresql = (connectionString: string, limits: Limits): ReadDatabase => {
  const begin = beginWith('isolation level repeatable read, read only', limits)
  const pool = new PostgresqlPool(connectionString, limits, begin)
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) })
  const limiter = pLimit(maxSnapshots)
  const flight = singleFlight<string>()
  const ask = async (): Promise<string> => {
    const [row] = (await version.execute(db)).rows
    refuseNewer(row?.applied ?? [])
    return row?.version ?? ''
  }
  return {
    db,
    batches,
    // Every request reads the version first. The second attempt replaces a connection that turns out to be dead.
    version: () => flight('version', () => ask().catch(ask)),
    // One transaction lasts until the connection is released.
    snapshot: (read) => limiter(() => db.connection().execute(read)),
    damage: TE.right([]),
  }
}

/** Only an answer can tell which version a database has. */
const notAnswering =
  (place: string) =>
  (cause: unknown): Unavailable =>
    unavailable(`cannot open ${place}: ${driverReason(cause)}`, undefined, cause)

/** Opens a registry for reading. Its tables must exist in this version. */
export const openPostgresql = (url: PostgresqlUrl, limits: Limits): TE.TaskEither<Unavailable, ReadDatabase> => {
  const place = describe(url)
  return openChecked(
    async () => E.right(readPostgresql(url.connectionString, limits)),
    ({ db }) => schemaProblem(db, place),
    notAnswering(place),
  )
}

/** Writers of a registry run one after the other. The number is arbitrary and never changes. */
const lock = 'select pg_advisory_xact_lock(7238914650392481)'

export const writePostgresql = (connectionString: string, limits: Limits): Database => {
  const beginTransaction = async (connection: DatabaseConnection): Promise<void> => {
    const run = (statement: string) => connection.executeQuery(CompiledQuery.raw(statement))
    await run(beginWith('', limits))
    // Without a rollback, the connection would return to the pool inside a transaction.
    await run(lock).catch((cause: unknown) => run('rollback').then(() => Promise.reject(cause)))
  }
  const config = { pool: new PostgresqlPool(connectionString, limits) }
  const createDriver = () => Object.assign(new PostgresDriver(config), { beginTransaction })
  const dialect = Object.assign(new PostgresDialect(config), { createDriver })
  return { db: new Kysely<Schema>({ dialect }), batches }
}

export const openPostgresqlToWrite = (url: PostgresqlUrl, limits: Limits): TE.TaskEither<Unavailable, Database> =>
  openChecked(
    async () => E.right(writePostgresql(url.connectionString, limits)),
    async ({ db }) => void (await sql`select 1`.execute(db)),
    notAnswering(describe(url)),
  )
