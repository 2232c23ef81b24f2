import type { Kysely } from 'kysely'

export const up = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .createTable('tokens')
    .addColumn('sha256', 'text', (column) => column.notNull().primaryKey())
    .addColumn('account', 'text', (column) => column.notNull().references('accounts.id').onDelete('cascade'))
    .addColumn('scope', 'text', (column) => column.notNull())
    .addColumn('expires', 'text')
    .addColumn('label', 'text')
    .execute()
  await db.schema.createIndex('tokens_by_account').on('tokens').column('account').execute()
}
