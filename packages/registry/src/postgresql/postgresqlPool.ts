import type { PostgresPool, PostgresPoolClient } from 'kysely'
import pg from 'pg'
import { Client } from './Client.js'
import type { PostgresqlOptions } from './PostgresqlOptions.js'

const onItsWayMs = 500

/** Said last, so that no option in the URL undoes it. */
const readingOnly = (connectionString: string): string => {
  const url = new URL(connectionString)
  const options = [url.searchParams.get('options') ?? '', '-c default_transaction_read_only=on']
  url.searchParams.set('options', options.join(' ').trim())
  return url.href
}

/** A connection that failed by itself is not used again: an answer may still be on its way to the wrong question. */
const lend = (client: pg.PoolClient): PostgresPoolClient => {
  const state = { broken: false }
  const lent = {
    query: (text: string, parameters: ReadonlyArray<unknown>) =>
      client.query(text, [...parameters]).catch((cause: unknown) => {
        state.broken ||= !(cause instanceof pg.DatabaseError)
        return Promise.reject(cause)
      }),
    release: () => client.release(state.broken),
  }
  // Without cursors: Kysely asks for one only where it was given their class.
  return lent as unknown as PostgresPoolClient
}

/** The PostgreSQL driver, as Kysely wants it; the only file that knows which one it is. */
export const postgresqlPool = (
  connectionString: string,
  options: PostgresqlOptions & { readonly readOnly: boolean },
): PostgresPool => {
  const pool = new pg.Pool({
    Client,
    connectionString: options.readOnly ? readingOnly(connectionString) : connectionString,
    application_name: 'canopy',
    max: options.connections,
    connectionTimeoutMillis: options.connectTimeoutMs,
    statement_timeout: options.statementTimeoutMs,
    // For the server that no longer says anything; it had its chance to give the statement up, and to say so.
    query_timeout: options.statementTimeoutMs + onItsWayMs,
    keepAlive: true,
  })
  // Whoever waits for an answer gets the failure as well; an event that nobody hears would end the process.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return {
    connect: async () => lend(await pool.connect()),
    end: () => pool.end(),
  }
}
