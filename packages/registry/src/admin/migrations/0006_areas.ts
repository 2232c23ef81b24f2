import type { Kysely } from 'kysely'

/** What `canopy` found and did when it gave an account its directory. Of the accounts before, nothing is known. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  for (const column of ['mount_point', 'area_made'])
    await db.schema
      .alterTable('accounts')
      .addColumn(column, 'integer', (added) => added.notNull().defaultTo(0))
      .execute()
}
