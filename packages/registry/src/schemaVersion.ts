import type { Kysely } from 'kysely'
import { migrationNames, migrationTable, type Schema } from './Schema.js'

/** How the tables of a database compare with the ones this code knows. */
export type SchemaVersion = 'none' | 'older' | 'current' | 'newer'

const versionOf = (applied: ReadonlyArray<string>): SchemaVersion =>
  applied.length === 0
    ? 'none'
    : applied.some((name) => !migrationNames.some((known) => known === name))
      ? 'newer'
      : applied.length < migrationNames.length
        ? 'older'
        : 'current'

export const schemaVersion = async (db: Kysely<Schema>): Promise<SchemaVersion> => {
  const tables = await db.introspection.getTables()
  if (!tables.some(({ name }) => name === migrationTable)) return 'none'
  const rows = await db.selectFrom(migrationTable).select('name').execute()
  return versionOf(rows.map(({ name }) => name))
}
