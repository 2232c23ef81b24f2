import { Kysely, PostgresDialect } from 'kysely'
import type { Schema } from '../Schema.js'
import { postgresqlPool } from './postgresqlPool.js'

export interface ReadPostgresqlOptions {
  readonly connections: number
  readonly connectTimeoutMs: number
  readonly statementTimeoutMs: number
}

/** Every session is read-only: PostgreSQL itself refuses a write. */
export const readPostgresql = (connectionString: string, options: ReadPostgresqlOptions): Kysely<Schema> =>
  new Kysely({
    dialect: new PostgresDialect({ pool: postgresqlPool(connectionString, { readOnly: true, ...options }) }),
  })
