import { Kysely, PostgresDialect, sql } from 'kysely'
import type { ReadDatabase } from '../ReadDatabase.js'
import type { Schema } from '../Schema.js'
import { coalesced } from './coalesced.js'
import { postgresqlPool } from './postgresqlPool.js'

export interface ReadPostgresqlOptions {
  readonly connections: number
  readonly connectTimeoutMs: number
  readonly statementTimeoutMs: number
}

/** The snapshot that a query would see, which changes with every transaction of the server that writes. */
const snapshotOf = async (db: Kysely<Schema>): Promise<string> => {
  const { rows } = await sql<{ snapshot: string }>`select pg_current_snapshot()::text as snapshot`.execute(db)
  return rows[0]?.snapshot ?? ''
}

/** Every session is read-only: PostgreSQL itself refuses a write. */
export const readPostgresql = (connectionString: string, options: ReadPostgresqlOptions): ReadDatabase => {
  const db = new Kysely<Schema>({
    dialect: new PostgresDialect({ pool: postgresqlPool(connectionString, { readOnly: true, ...options }) }),
  })
  return { db, version: coalesced(() => snapshotOf(db)) }
}
