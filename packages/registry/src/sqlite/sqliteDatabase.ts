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
  const db = new DatabaseSync(path, { readOnly, timeout: busyTimeoutMs, enableForeignKeyConstraints: true })
  const statements = new Map<string, SqliteStatement>()
  return {
    number: (sql) => {
      const prepared = db.prepare(sql)
      prepared.setReturnArrays(true)
      return () => (prepared.get() as ReadonlyArray<unknown>)[0] as number
    },
    close: () => {
      statements.clear()
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
