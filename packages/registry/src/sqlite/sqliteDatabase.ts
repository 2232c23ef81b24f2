import { DatabaseSync } from '@photostructure/sqlite'
import type { SqliteDatabase, SqliteStatement } from 'kysely'

type Driver = InstanceType<typeof DatabaseSync>

interface SqliteOptions {
  readonly readOnly: boolean
  /** How long a call may wait for another process, in milliseconds. Node does nothing else meanwhile. */
  readonly busyTimeoutMs: number
}

interface AsksOneNumber {
  /** For a question that is asked all the time: nothing is wrapped around its answer. */
  readonly number: (sql: string) => () => number
}

/** The name of the file's schema where it is opened for reading. */
export const attachedAs = 'registry'

/**
 * A file that is read is attached to an empty database: to detach it closes it at once, with its `-wal` and `-shm`. The
 * driver finalises statements only when they are collected, and a database that is closed before stays open until then.
 */
const attaching = (path: string, timeout: number): Driver => {
  const db = new DatabaseSync(':memory:', { readOnly: true, timeout })
  db.prepare(`attach ? as ${attachedAs}`).run(path)
  return db
}

const statement = (db: Driver, sql: string): SqliteStatement => {
  const prepared = db.prepare(sql)
  return {
    reader: prepared.columns().length > 0,
    all: (parameters) => prepared.all(...parameters),
    run: (parameters) => prepared.run(...parameters),
    iterate: (parameters) => prepared.iterate(...parameters),
  }
}

/**
 * The SQLite driver, as Kysely wants it; the only file that knows which one it is. It has the API of `node:sqlite`,
 * which can take its place. Statements are kept once prepared: our code has a small, fixed set of them.
 */
export const sqliteDatabase = (
  path: string,
  { readOnly, busyTimeoutMs }: SqliteOptions,
): SqliteDatabase & AsksOneNumber => {
  const db = readOnly
    ? attaching(path, busyTimeoutMs)
    : new DatabaseSync(path, { timeout: busyTimeoutMs, enableForeignKeyConstraints: true })
  const statements = new Map<string, SqliteStatement>()
  return {
    number: (sql) => {
      const prepared = db.prepare(sql)
      prepared.setReturnArrays(true)
      return () => (prepared.get() as ReadonlyArray<unknown>)[0] as number
    },
    close: () => {
      statements.clear()
      if (readOnly) db.exec(`detach ${attachedAs}`)
      db.close()
    },
    prepare: (sql) => {
      const known = statements.get(sql)
      if (known !== undefined) return known
      const fresh = statement(db, sql)
      statements.set(sql, fresh)
      return fresh
    },
  }
}
