import { Kysely, SqliteDialect } from 'kysely'
import type { ReadDatabase } from '../ReadDatabase.js'
import { onceAMoment } from './onceAMoment.js'
import { sqliteDatabase } from './sqliteDatabase.js'
import { stillInPlace } from './stillInPlace.js'

/** The file must exist. SQLite itself refuses every write through this connection. */
export const readSqlite = (path: string): ReadDatabase => {
  const database = sqliteDatabase(path, { readOnly: true, busyTimeoutMs: 1000 })
  return {
    db: new Kysely({ dialect: new SqliteDialect({ database }) }),
    version: onceAMoment(database.number('pragma data_version')),
    inPlace: stillInPlace(path),
  }
}
