import { Kysely, SqliteDialect } from 'kysely'
import type { ReadDatabase } from '../ReadDatabase.js'
import { sqliteDatabase } from './sqliteDatabase.js'

const versionIn = ([row]: ReadonlyArray<unknown>): number =>
  (row as { readonly data_version: number } | undefined)?.data_version ?? Number.NaN

/** The file must exist. SQLite itself refuses every write through this connection. */
export const readSqlite = (path: string): ReadDatabase => {
  const database = sqliteDatabase(path, { readOnly: true, busyTimeoutMs: 1000 })
  // Kysely compiles and wraps each query; this one runs for every request.
  const version = database.prepare('pragma data_version')
  return {
    db: new Kysely({ dialect: new SqliteDialect({ database }) }),
    version: () => versionIn(version.all([])),
  }
}
