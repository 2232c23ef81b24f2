import { singleFlight } from '@canopy/scheduling'
import * as E from 'fp-ts/lib/Either.js'
import { constVoid } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import {
  CompiledQuery,
  type DatabaseConnection,
  Kysely,
  type PostgresCursor,
  PostgresDialect,
  PostgresDriver,
  type PostgresPool,
  type PostgresPoolClient,
  sql,
} from 'kysely'
import pLimit from 'p-limit'
import pg from 'pg'
import { type Database, opening, type ReadDatabase } from './Database.js'
import { describe, hostsOf, type PostgresqlUrl } from './RegistryUrl.js'
import { migrationTable, refuseNewer, type Schema, schemaProblem } from './Schema.js'
import { reasonOf, type Unavailable, unavailable } from './Unavailable.js'

export interface Limits {
  /** How many there may be at once. */
  readonly connections: number
  /** How long a connection may take to come, an idle one to be found, and the answer to what is no work, in milliseconds. */
  readonly connectTimeoutMs: number
  /** After how long the server gives a statement up, in milliseconds. */
  readonly statementTimeoutMs: number
}

/** As the driver takes it. What is exported names none of the driver's types: they are another package. */
interface Statement {
  readonly text: string
  readonly query_timeout: number
}

/** For what a server that is there answers at once. */
const atOnce = (text: string, { connectTimeoutMs }: Limits): Statement => ({
  text,
  query_timeout: connectTimeoutMs,
})

type Connected = (error: Error) => void

/**
 * A connection of a pool. To make one reads the files of certificates that the URL names, each time: where that fails,
 * connecting fails, since a pool makes connections also where nothing catches, and the process would end. One that the driver
 * gave up while it connected is closed: the driver leaves it open, and PostgreSQL would go on to count it.
 */
const clientOf = (failed: () => void) =>
  new Proxy(pg.Client, {
    construct: (Made, [config]: [pg.ClientConfig]) => {
      try {
        const client = new Made(config)
        const connect = client.connect.bind(client) as (connected: Connected) => void
        const connectOrEnd = (connected: Connected) =>
          connect((error) => {
            if (error) {
              client.end(() => undefined)
              failed()
            }
            connected(error)
          })
        return Object.assign(client, { connect: connectOrEnd })
      } catch (cause) {
        return Object.assign(new Made(), { connect: (connected: Connected) => process.nextTick(connected, cause) })
      }
    },
  })

/** A pool of connections to one host, and to a primary if that is wanted. `failed` is called when there is no way to it. */
const poolOf = (
  connectionString: string,
  primary: boolean,
  limits: Limits,
  failed: (pool: pg.Pool) => void,
): pg.Pool => {
  const pool: pg.Pool = new pg.Pool({
    Client: clientOf(() => failed(pool)),
    // The driver means this by them too, and warns that it will not always.
    connectionString: connectionString.replace(/([?&]sslmode=)(?:require|verify-ca)(?=&|$)/, '$1verify-full'),
    application_name: 'canopy',
    max: limits.connections,
    connectionTimeoutMillis: limits.connectTimeoutMs,
    // For the server that no longer says anything; it had its chance to give the statement up, and to say so.
    query_timeout: limits.statementTimeoutMs + 500,
    keepAlive: true,
    // What begins a transaction is sent together with its first query.
    pipeline: true,
    onConnect: async (client) => {
      if (!primary) return
      const { rows } = await client.query(atOnce('select pg_is_in_recovery() as standby', limits))
      if (rows[0]?.standby === false) return
      failed(pool)
      throw new Error('no primary answers, only a standby')
    },
  })
  // Those who wait for an answer get the failure as well; an event that nothing hears would end the process.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

type Ask = (text: string, parameters?: ReadonlyArray<unknown>) => Promise<pg.QueryResult>

/** By which Kysely streams, one at a time and in a transaction. The driver's own, `pg-cursor`, does not go with a pipeline. */
class Cursor<Row> implements PostgresCursor<Row> {
  /** Of the connection that runs it. */
  ask!: Ask
  readonly #query: string
  readonly #parameters: ReadonlyArray<unknown>
  #declared: Promise<unknown> | undefined
  constructor(query: string, parameters: ReadonlyArray<unknown>) {
    this.#query = query
    this.#parameters = parameters
  }
  async read(count: number): Promise<Array<Row>> {
    this.#declared ??= this.ask(`declare streamed no scroll cursor for ${this.#query}`, this.#parameters)
    await this.#declared
    return (await this.ask(`fetch ${count} from streamed`)).rows
  }
  async close(): Promise<void> {
    // After a failed read PostgreSQL refuses this as well, and Kysely would report this refusal.
    await this.ask('close streamed').catch(constVoid)
  }
}

/**
 * What is asked by one connection until it is released is one transaction, if there is something that begins it: no session
 * has settings, so that a pooler may give another session to each transaction. A connection that failed by itself is not
 * used again: an answer may still be on its way to the wrong question.
 */
const lend = (client: pg.PoolClient, begin: Statement | undefined, failed: () => void): PostgresPoolClient => {
  let broken = false
  const run = (query: string | Statement, parameters: ReadonlyArray<unknown> = []) =>
    client.query(query, [...parameters]).catch((cause: unknown) => {
      if (!(cause instanceof pg.DatabaseError)) {
        broken = true
        failed()
      }
      return Promise.reject(cause)
    })
  const begun = begin === undefined ? Promise.resolve() : run(begin)
  begun.catch(constVoid)
  const ask: Ask = async (text, parameters) => {
    const [answer] = await Promise.all([run(text, parameters), begun])
    return answer
  }
  const lent = {
    query: (query: string | Cursor<unknown>, parameters: ReadonlyArray<unknown>) =>
      query instanceof Cursor ? Object.assign(query, { ask }) : ask(query, parameters),
    release: () => {
      const ended = begin === undefined || broken ? Promise.resolve() : run('commit')
      void ended.catch(constVoid).then(() => client.release(broken))
    },
  }
  return lent as unknown as PostgresPoolClient
}

/**
 * Connections to the host that answered last, at first to the first. When one fails, all of them are given up, since the
 * others are most likely dead as well; when none can be made, the next host is tried.
 */
export const postgresqlPool = (connectionString: string, limits: Limits, begin?: Statement): PostgresPool => {
  const hosts = hostsOf(connectionString)
  const wanted = new URL(hosts[0] ?? '').searchParams.get('target_session_attrs')
  const isPrimary = wanted === 'primary' || (hosts.length > 1 && wanted !== 'any')
  let host = 0
  const open = () => poolOf(hosts[host % hosts.length] ?? '', isPrimary, limits, nextHost)
  const replace = (failed: pg.Pool): void => {
    if (pool !== failed) return
    pool = open()
    failed.end().catch(constVoid)
  }
  const nextHost = (failed: pg.Pool): void => {
    if (pool !== failed || hosts.length === 1) return
    host += 1
    replace(failed)
  }
  let pool = open()

  const connect = async (tries: number): Promise<PostgresPoolClient> => {
    const tried = pool
    try {
      return lend(await tried.connect(), begin, () => replace(tried))
    } catch (cause) {
      if (tries === 0 || pool === tried) throw cause
      return connect(tries - 1)
    }
  }
  return { connect: () => connect(hosts.length), end: () => pool.end() }
}

const limited = (statementTimeoutMs: number): string => `set local statement_timeout = ${statementTimeoutMs}`

/**
 * The snapshot that a query would see, which changes with every transaction of the server that writes; and since when the
 * server runs: one that was set back, or another one that takes its place, counts the same numbers again. The snapshot of
 * a standby does not name who is at work on its primary, so there it is also how much of the primary's log it has replayed.
 */
const version = sql<{ version: string; applied: ReadonlyArray<string> }>`
  select concat_ws(' ', pg_current_snapshot(), pg_postmaster_start_time(), pg_last_wal_replay_lsn()) as version,
    array(select name::text from ${sql.table(migrationTable)}) as applied`

/** So many snapshots have a connection at a time: the others are for all other questions. */
const mostSnapshots = 3

/** Every transaction is read-only: PostgreSQL itself refuses a write. */
export const readPostgresql = (connectionString: string, limits: Limits): ReadDatabase => {
  const begin = `begin isolation level repeatable read, read only; ${limited(limits.statementTimeoutMs)}`
  const pool = postgresqlPool(connectionString, limits, atOnce(begin, limits))
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool, cursor: Cursor }) })
  const limit = pLimit(mostSnapshots)
  const flight = singleFlight<string>()
  const ask = async (): Promise<string> => {
    const [row] = (await version.execute(db)).rows
    refuseNewer(row?.applied ?? [])
    return row?.version ?? ''
  }
  return {
    db,
    // Each request asks for it first: by a connection that is dead already it is asked once more.
    version: () => flight('version', () => ask().catch(ask)),
    // What a connection is asked until it is released is one transaction.
    snapshot: (read) => limit(() => db.connection().execute(read)),
    damage: TE.right([]),
  }
}

/** A database that is down is not one that is of another version. */
const notAnswering =
  (place: string) =>
  (cause: unknown): Unavailable =>
    unavailable(`${place} does not answer: ${reasonOf(cause)}`, undefined, cause)

/** For reading: the tables must be there, and of this version. */
export const openPostgresql = (url: PostgresqlUrl, limits: Limits): TE.TaskEither<Unavailable, ReadDatabase> => {
  const place = describe(url)
  return opening(
    async () => E.right(readPostgresql(url.connectionString, limits)),
    ({ db }) => schemaProblem(db, place),
    notAnswering(place),
  )
}

/** A lock that only writers of the registry take, until their transaction ends. The number is any, but always this one. */
const takeLock = 'select pg_advisory_xact_lock(7238914650392481)'

export const writePostgresql = (connectionString: string, limits: Limits): Database => {
  const pool = postgresqlPool(connectionString, limits)
  const beginTransaction = async (connection: DatabaseConnection): Promise<void> => {
    const run = (statement: string) => connection.executeQuery(CompiledQuery.raw(statement))
    await run(`begin; ${limited(limits.statementTimeoutMs)}`)
    // A connection that does not get the lock must not go back to the pool in the middle of a transaction.
    await run(takeLock).catch((cause: unknown) => run('rollback').then(() => Promise.reject(cause)))
  }
  const config = { pool, cursor: Cursor }
  const createDriver = () => Object.assign(new PostgresDriver(config), { beginTransaction })
  return { db: new Kysely<Schema>({ dialect: Object.assign(new PostgresDialect(config), { createDriver }) }) }
}

export const openPostgresqlToWrite = (url: PostgresqlUrl, limits: Limits): TE.TaskEither<Unavailable, Database> =>
  opening(
    async () => E.right(writePostgresql(url.connectionString, limits)),
    async ({ db }) => void (await sql`select 1`.execute(db)),
    notAnswering(describe(url)),
  )
