import type { Kysely } from 'kysely'

export const up = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .createTable('settings')
    .addColumn('account', 'text', (column) => column.notNull().references('accounts.id').onDelete('cascade'))
    .addColumn('path_sha256', 'text', (column) => column.notNull())
    .addColumn('path', 'text', (column) => column.notNull())
    .addColumn('visibility', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('settings_by_path', ['account', 'path_sha256'])
    .execute()
}
