import { Kysely, PostgresDialect, sql } from 'kysely'
import type { ReadDatabase } from '../ReadDatabase.js'
import type { Schema } from '../Schema.js'
import { coalesced } from './coalesced.js'
import type { PostgresqlOptions } from './PostgresqlOptions.js'
import { postgresqlPool } from './postgresqlPool.js'

/**
 * The snapshot that a query would see, which changes with every transaction of the server that writes; and since when the
 * server runs: one that was set back, or another one that takes its place, counts the same numbers again. The snapshot of
 * a standby does not name who is at work on its primary, so there it is also how much of the primary's log it has replayed.
 */
const versionOf = async (db: Kysely<Schema>): Promise<string> => {
  const { rows } = await sql<{ version: string }>`
    select concat_ws(' ', pg_current_snapshot(), pg_postmaster_start_time(), pg_last_wal_replay_lsn()) as version`.execute(
    db,
  )
  return rows[0]?.version ?? ''
}

/** Every session is read-only: PostgreSQL itself refuses a write. */
export const readPostgresql = (connectionString: string, options: PostgresqlOptions): ReadDatabase => {
  const db = new Kysely<Schema>({
    dialect: new PostgresDialect({ pool: postgresqlPool(connectionString, { readOnly: true, ...options }) }),
  })
  return { db, version: coalesced(() => versionOf(db)) }
}
