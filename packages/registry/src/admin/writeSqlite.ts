import { open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { makeDirectory } from '@canopy/files'
import {
  CompiledQuery,
  type Dialect,
  Kysely,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDriver,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
} from 'kysely'
import type { Schema } from '../Schema.js'
import { retryWhileBusy } from '../sqlite/retryWhileBusy.js'
import { sqliteDatabase } from '../sqlite/sqliteDatabase.js'
import type { WritableDatabase } from './WritableDatabase.js'

/** A plain `begin` would take the write lock only at the first write, and then fail if another process had been faster. */
const begin = 'begin immediate'

const dialect = (database: SqliteDatabase): Dialect => ({
  createAdapter: () => new SqliteAdapter(),
  createDriver: () =>
    Object.assign(new SqliteDriver({ database }), {
      beginTransaction: async (connection: Parameters<SqliteDriver['beginTransaction']>[0]) => {
        await retryWhileBusy(() => connection.executeQuery(CompiledQuery.raw(begin)))
      },
    }),
  createIntrospector: (db) => new SqliteIntrospector(db),
  createQueryCompiler: () => new SqliteQueryCompiler(),
})

/** Only for us: it holds hashes of tokens, and ids of triggers. SQLite gives the files it makes beside it the same mode. */
const createFile = async (path: string): Promise<void> => {
  await makeDirectory(dirname(path))
  const file = await open(path, 'a', 0o600)
  await file.close()
}

const migrating =
  (db: Kysely<Schema>): WritableDatabase['migrating'] =>
  (run) =>
    db.connection().execute(async (connection) => {
      await retryWhileBusy(() => sql.raw(begin).execute(connection))
      return run(connection).then(
        async (result) => {
          await sql`commit`.execute(connection)
          return result
        },
        async (cause: unknown) => {
          await sql`rollback`.execute(connection)
          return Promise.reject(cause)
        },
      )
    })

/** Readers go on reading while an operator writes, and what a command reported is on the disk. */
const settle = async (db: Kysely<Schema>): Promise<void> => {
  await retryWhileBusy(() => sql`pragma journal_mode = wal`.execute(db))
  await sql`pragma synchronous = full`.execute(db)
}

/** Makes the file, and the directory it is in, where they are missing. */
export const writeSqlite = async (path: string): Promise<WritableDatabase> => {
  await createFile(path)
  const db = new Kysely<Schema>({
    dialect: dialect(sqliteDatabase(path, { readOnly: false, busyTimeoutMs: 250 })),
  })
  return settle(db).then(
    () => ({ db, migrating: migrating(db) }),
    (cause: unknown) => db.destroy().then(() => Promise.reject(cause)),
  )
}
