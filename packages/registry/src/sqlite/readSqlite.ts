import { Kysely, SqliteDialect } from 'kysely'
import type { Schema } from '../Schema.js'
import { sqliteDatabase } from './sqliteDatabase.js'

/** The file must exist. SQLite itself refuses every write through this connection. */
export const readSqlite = (path: string): Kysely<Schema> =>
  new Kysely({
    dialect: new SqliteDialect({ database: sqliteDatabase(path, { readOnly: true, busyTimeoutMs: 1000 }) }),
  })
