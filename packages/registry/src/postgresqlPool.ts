import { constVoid } from 'fp-ts/lib/function.js'
import type { PostgresPool, PostgresPoolClient } from 'kysely'
import pg from 'pg'
import { hostsOf } from './RegistryUrl.js'

export interface Limits {
  readonly maxConnections: number
  /** Bounds connecting, waiting for a free connection, and statements that do no work. */
  readonly connectTimeoutMs: number
  /** PostgreSQL cancels a statement that takes longer. */
  readonly statementTimeoutMs: number
}

/** For statements that a live server answers at once. */
const promptly = (text: string, { connectTimeoutMs }: Limits) => ({ text, query_timeout: connectTimeoutMs })

type Connected = (error: Error | null) => void

class Client extends pg.Client {
  onFailure = constVoid

  override connect(): Promise<pg.Client>
  override connect(connected: Connected): void
  override connect(connected?: Connected): Promise<pg.Client> | undefined {
    if (connected === undefined) return super.connect()
    super.connect((error: Error | null) => {
      if (error !== null) {
        // pg leaves the socket of a failed login open, and PostgreSQL keeps counting it as a connection.
        this.end(constVoid)
        this.onFailure()
      }
      connected(error)
    })
    return undefined
  }
}

/** A missing certificate file fails `connect`. pg throws it in the constructor, which pg-pool calls without a catch. */
const makeClient = (config: pg.ClientConfig, onFailure: () => void): pg.Client => {
  try {
    return Object.assign(new Client(config), { onFailure })
  } catch (cause) {
    return Object.assign(new Client(), { connect: (connected: Connected) => process.nextTick(connected, cause) })
  }
}

/**
 * Connections to one host of the URL. When connecting fails, the next host is tried; when a connection breaks, all of them are
 * replaced, since the others most likely lead to the same dead server.
 */
export class PostgresqlPool implements PostgresPool {
  readonly #hosts: ReadonlyArray<string>
  readonly #limits: Limits
  readonly #begin: string | undefined
  readonly #requiresPrimary: boolean
  #host = 0
  #pool: pg.Pool

  /** With `begin`, the queries between `connect` and `release` are one transaction that starts with this statement. */
  constructor(connectionString: string, limits: Limits, begin?: string) {
    this.#hosts = hostsOf(connectionString)
    this.#limits = limits
    this.#begin = begin
    const wanted = new URL(this.#hosts[0] ?? '').searchParams.get('target_session_attrs')
    this.#requiresPrimary = wanted === 'primary' || (this.#hosts.length > 1 && wanted !== 'any')
    this.#pool = this.#open()
  }

  async connect(retries = this.#hosts.length): Promise<PostgresPoolClient> {
    const pool = this.#pool
    try {
      return await pool.connect()
    } catch (cause) {
      if (retries === 0 || pool === this.#pool) throw cause
      return this.connect(retries - 1)
    }
  }

  end(): Promise<void> {
    return this.#pool.end()
  }

  #open(): pg.Pool {
    const tryNextHost = () => this.#tryNextHost(pool)
    function MakeClient(config: pg.ClientConfig) {
      return makeClient(config, tryNextHost)
    }
    const pool: pg.Pool = new pg.Pool({
      // pg means verify-full by these two as well, and warns that a later version will not.
      connectionString: (this.#hosts[this.#host] ?? '').replace(
        /([?&]sslmode=)(?:require|verify-ca)(?=&|$)/,
        '$1verify-full',
      ),
      application_name: 'canopy',
      max: this.#limits.maxConnections,
      connectionTimeoutMillis: this.#limits.connectTimeoutMs,
      // For a silent server. A live server has cancelled the statement before.
      query_timeout: this.#limits.statementTimeoutMs + 500,
      keepAlive: true,
      pipeline: true,
      Client: MakeClient as unknown as typeof Client,
      onConnect: async (client) => {
        if (!this.#requiresPrimary) return
        const { rows } = await client.query(promptly('select pg_is_in_recovery() as standby', this.#limits))
        if (rows[0]?.standby === false) return
        tryNextHost()
        throw new Error('only a standby is responding; no primary was found')
      },
    })
    // The queries of a broken connection fail. An `error` event without a listener would also end the process.
    pool.on('error', constVoid)
    pool.on('connect', (client) => client.on('error', () => this.#replace(pool)))
    this.#runTransactions(pool)
    return pool
  }

  /** Not awaited: the driver sends `begin` together with the first query, and `commit` before the next `begin`. */
  #runTransactions(pool: pg.Pool): void {
    if (this.#begin === undefined) return
    const begin = promptly(this.#begin, this.#limits)
    pool.on('acquire', (client) => client.query(begin).catch(constVoid))
    pool.on('release', (_, client) => client.query('commit').catch(constVoid))
  }

  /** Many connections of a pool may break, but only the first replaces it. */
  #replace(broken: pg.Pool): void {
    if (this.#pool !== broken) return
    this.#pool = this.#open()
    broken.end().catch(constVoid)
  }

  #tryNextHost(failed: pg.Pool): void {
    if (this.#pool !== failed || this.#hosts.length === 1) return
    this.#host = (this.#host + 1) % this.#hosts.length
    this.#replace(failed)
  }
}
