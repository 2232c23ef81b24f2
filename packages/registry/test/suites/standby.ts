import { type Kysely, sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { openRegistryWriter } from '../../src/admin/RegistryWriter.js'
import { openRegistry } from '../../src/openRegistry.js'
import type { PostgresqlUrl } from '../../src/RegistryUrl.js'
import type { Schema } from '../../src/Schema.js'
import type { Running } from '../engines.js'
import { rawDatabase } from '../rawDatabase.js'
import { forThisTest, opened, right } from '../right.js'
import { newAccount, path, user } from '../values.js'

const at = (connectionString: string): PostgresqlUrl => ({ engine: 'PostgreSQL', connectionString })

const hidden = sql`update settings set visibility = 'private'`

/** Whether the standby has everything that the primary has written by now. */
const hasCaughtUp = async (primary: Kysely<Schema>, standby: Kysely<Schema>): Promise<boolean> => {
  const written = await sql<{ at: string }>`select pg_current_wal_insert_lsn()::text as at`.execute(primary)
  const { rows } = await sql<{ there: boolean }>`
    select pg_last_wal_replay_lsn() >= ${written.rows[0]?.at}::pg_lsn as there`.execute(standby)
  return rows[0]?.there === true
}

export const standbyIsRead = (running: () => Running): void => {
  it('a standby answers with what it has replayed, also while others are at work on the primary', async () => {
    const { postgres, newRegistry, newUrl } = running()
    const url = await newRegistry()
    if (postgres === undefined || url.engine !== 'PostgreSQL') throw new Error('this suite is for PostgreSQL')
    const writer = await right(openRegistryWriter(url))
    await right(writer.accounts.create(newAccount()))
    await right(writer.settings.set(user('1'), path('/'), 'public'))
    await writer.close()
    const standby = await postgres.newStandby()
    const urlThere = at(standby.urlOf(url.connectionString))
    onTestFinished(standby.stop)
    const primary = forThisTest(await rawDatabase(url))
    // Writers of one registry wait for each other.
    const elsewhere = forThisTest(await rawDatabase(at(postgres.url)))
    const there = forThisTest(await rawDatabase(urlThere))
    const registry = await opened(openRegistry(urlThere))
    // Older than what is changed, and open all the time; and one that is newer, and done before.
    const older = await elsewhere.startTransaction().execute()
    await sql`create table other (n int)`.execute(older)
    const change = await primary.startTransaction().execute()
    await hidden.execute(change)
    await newUrl()
    await expect.poll(() => hasCaughtUp(older, there)).toBe(true)
    expect([...(await right(registry.settingsOf(user('1')))).values()]).toEqual(['public'])
    await change.commit().execute()
    await expect.poll(() => hasCaughtUp(older, there)).toBe(true)
    expect([...(await right(registry.settingsOf(user('1')))).values()]).toEqual(['private'])
    await older.rollback().execute()
  })
}
