import type { Kysely } from 'kysely'

export const up = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .createTable('accounts')
    .addColumn('id', 'text', (column) => column.notNull().primaryKey())
    .addColumn('name', 'text')
    .addColumn('verified', 'integer', (column) => column.notNull())
    .addColumn('location', 'text', (column) => column.notNull())
    .execute()
}
