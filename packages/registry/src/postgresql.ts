import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import {
  CompiledQuery,
  type DatabaseConnection,
  Kysely,
  PostgresDialect,
  PostgresDriver,
  type PostgresPool,
  type PostgresPoolClient,
  sql,
} from 'kysely'
import pg from 'pg'
import { checked, type Database, type ReadDatabase, singleFlight } from './Database.js'
import { describe, type PostgresqlUrl } from './RegistryUrl.js'
import { checkSchema, type Schema } from './Schema.js'
import { reasonOf, type Unavailable, unavailable } from './Unavailable.js'

export interface PostgresqlOptions {
  /** How many there may be at once. */
  readonly connections: number
  /** How long a connection may take to come, and an idle one to be found, in milliseconds. */
  readonly connectTimeoutMs: number
  /** After how long the server gives a statement up, in milliseconds. */
  readonly statementTimeoutMs: number
}

const prompt: PostgresqlOptions = { connections: 10, connectTimeoutMs: 2_000, statementTimeoutMs: 2_000 }

type Connected = (error: Error) => void

/**
 * A connection of a pool. To make one reads the files of certificates that the URL names, each time: where that fails,
 * connecting fails, since a pool makes connections also where nothing catches, and the process would end. One that the driver
 * gave up while it connected is closed: the driver leaves it open, and PostgreSQL would go on to count it.
 */
const Client = new Proxy(pg.Client, {
  construct: (Made, [config]: [pg.ClientConfig]) => {
    try {
      const client = new Made(config)
      const connect = (connected: Connected): void => Made.prototype.connect.call(client, connected)
      const connectOrEnd = (connected: Connected) =>
        connect((error) => {
          if (error) client.end(() => undefined)
          connected(error)
        })
      return Object.assign(client, { connect: connectOrEnd })
    } catch (cause) {
      return Object.assign(new Made(), { connect: (connected: Connected) => process.nextTick(connected, cause) })
    }
  },
})

/** Said last, so that no option in the URL undoes it. */
const readingOnly = (connectionString: string): string => {
  const url = new URL(connectionString)
  const options = [url.searchParams.get('options') ?? '', '-c default_transaction_read_only=on']
  url.searchParams.set('options', options.join(' ').trim())
  return url.href
}

/** A connection that failed by itself is not used again: an answer may still be on its way to the wrong question. */
const lend = (client: pg.PoolClient): PostgresPoolClient => {
  let broken = false
  const lent = {
    query: (text: string, parameters: ReadonlyArray<unknown>) =>
      client.query(text, [...parameters]).catch((cause: unknown) => {
        broken ||= !(cause instanceof pg.DatabaseError)
        return Promise.reject(cause)
      }),
    release: () => client.release(broken),
  }
  // Without cursors: Kysely asks for one only where it was given their class.
  return lent as unknown as PostgresPoolClient
}

export const postgresqlPool = (connectionString: string, options: PostgresqlOptions): PostgresPool => {
  const pool = new pg.Pool({
    Client,
    connectionString,
    application_name: 'canopy',
    max: options.connections,
    connectionTimeoutMillis: options.connectTimeoutMs,
    statement_timeout: options.statementTimeoutMs,
    // For the server that no longer says anything; it had its chance to give the statement up, and to say so.
    query_timeout: options.statementTimeoutMs + 500,
    keepAlive: true,
  })
  // Those who wait for an answer get the failure as well; an event that nothing hears would end the process.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return { connect: async () => lend(await pool.connect()), end: () => pool.end() }
}

/**
 * The snapshot that a query would see, which changes with every transaction of the server that writes; and since when the
 * server runs: one that was set back, or another one that takes its place, counts the same numbers again. The snapshot of
 * a standby does not name who is at work on its primary, so there it is also how much of the primary's log it has replayed.
 */
const version = sql<{ version: string }>`
  select concat_ws(' ', pg_current_snapshot(), pg_postmaster_start_time(), pg_last_wal_replay_lsn()) as version`

/** Every session is read-only: PostgreSQL itself refuses a write. */
export const readPostgresql = (connectionString: string, options: PostgresqlOptions): ReadDatabase => {
  const pool = postgresqlPool(readingOnly(connectionString), options)
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) })
  return {
    db,
    version: singleFlight(async () => (await version.execute(db)).rows[0]?.version ?? ''),
    damage: TE.right([]),
  }
}

const notAnswering =
  (place: string) =>
  (cause: unknown): Unavailable =>
    unavailable(`${place} does not answer: ${reasonOf(cause)}`, cause)

/** A connection pooler in between may drop the settings of a session. */
const checkReadOnly = (db: Kysely<Schema>, place: string) =>
  pipe(
    TE.tryCatch(
      () => sql<{ on: string }>`select current_setting('default_transaction_read_only') as on`.execute(db),
      notAnswering(place),
    ),
    TE.filterOrElse(
      ({ rows }) => rows[0]?.on === 'on',
      () =>
        unavailable(
          `${place} does not keep a session read-only. Connect to PostgreSQL directly, ` +
            'or let the pooler pass on the parameter "options"',
        ),
    ),
  )

/** For reading: the tables must be there, and of this version. */
export const openPostgresql = (
  url: PostgresqlUrl,
  options: Partial<PostgresqlOptions>,
): TE.TaskEither<Unavailable, ReadDatabase> => {
  const place = describe(url)
  return pipe(
    TE.fromIO(() => readPostgresql(url.connectionString, { ...prompt, ...options })),
    TE.flatMap(
      checked(({ db }) =>
        pipe(
          checkReadOnly(db, place),
          TE.flatMap(() => checkSchema(db, place, notAnswering(place))),
        ),
      ),
    ),
  )
}

/** A lock that only writers of the registry take, until their transaction ends. The number is any, but always this one. */
const takeLock = 'select pg_advisory_xact_lock(7238914650392481)'

const beginTransaction = async (connection: DatabaseConnection): Promise<void> => {
  const run = (statement: string) => connection.executeQuery(CompiledQuery.raw(statement))
  await run('begin')
  // A connection that does not get the lock must not go back to the pool in the middle of a transaction.
  await run(takeLock).catch((cause: unknown) => run('rollback').then(() => Promise.reject(cause)))
}

export const writePostgresql = (connectionString: string, options: PostgresqlOptions): Database => {
  const pool = postgresqlPool(connectionString, options)
  const createDriver = () => Object.assign(new PostgresDriver({ pool }), { beginTransaction })
  return { db: new Kysely<Schema>({ dialect: Object.assign(new PostgresDialect({ pool }), { createDriver }) }) }
}

/** For writing. A database that is down is not one that is of another version. */
export const openPostgresqlToWrite = (
  url: PostgresqlUrl,
  options: PostgresqlOptions,
): TE.TaskEither<Unavailable, Database> =>
  pipe(
    TE.fromIO(() => writePostgresql(url.connectionString, options)),
    TE.flatMap(checked(({ db }) => TE.tryCatch(() => sql`select 1`.execute(db), notAnswering(describe(url))))),
  )
