import { type Dialect, Kysely, type SqliteDatabase, SqliteDialect, SqliteIntrospector } from 'kysely'
import type { ReadDatabase } from '../ReadDatabase.js'
import { onceAMoment } from './onceAMoment.js'
import { attachedAs, sqliteDatabase } from './sqliteDatabase.js'

const dialect = (database: SqliteDatabase): Dialect =>
  Object.assign(new SqliteDialect({ database }), {
    createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db.withSchema(attachedAs)),
  })

/** The file must exist. SQLite itself refuses every write through this connection. */
export const readSqlite = (path: string): ReadDatabase => {
  const database = sqliteDatabase(path, { readOnly: true, busyTimeoutMs: 1000 })
  return {
    db: new Kysely({ dialect: dialect(database) }),
    version: onceAMoment(database.number(`pragma ${attachedAs}.data_version`)),
  }
}
