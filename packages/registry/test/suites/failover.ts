import { Settings } from '@canopy/domain'
import { forwarder, freePort } from '@canopy/test-support'
import { type Kysely, sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { openRegistryWriter } from '../../src/admin/RegistryWriter.js'
import { openRegistry } from '../../src/openRegistry.js'
import type { PostgresqlUrl } from '../../src/RegistryUrl.js'
import type { Schema } from '../../src/Schema.js'
import { publicPostgresql, type Running, rawDatabase } from '../engines.js'
import { forThisTest, left, opened, right } from '../right.js'
import { user } from '../values.js'

const at = (url: PostgresqlUrl, hosts: ReadonlyArray<string>, parameters = ''): PostgresqlUrl => {
  const { username, pathname } = new URL(url.connectionString)
  return { ...url, connectionString: `postgres://${username}@${hosts.join()}${pathname}${parameters}` }
}

const hostIn = (connectionString: string): string => new URL(connectionString).host

const made = async (running: () => Running) => {
  const { postgres: server } = running()
  if (server === undefined) throw new Error('this suite is for PostgreSQL')
  return { url: await publicPostgresql(running()), server }
}

/** Reports whether the standby has replayed all writes of the primary. */
const hasCaughtUp = async (primary: Kysely<Schema>, standby: Kysely<Schema>): Promise<boolean> => {
  const written = await sql<{ at: string }>`select pg_current_wal_insert_lsn()::text as at`.execute(primary)
  const { rows } = await sql<{ there: boolean }>`
    select pg_last_wal_replay_lsn() >= ${written.rows[0]?.at}::pg_lsn as there`.execute(standby)
  return rows[0]?.there === true
}

export const failoverIsFollowed = (running: () => Running): void => {
  it('a URL of several hosts connects servers and commands to the first host that answers', async () => {
    const { url } = await made(running)
    const unused = `127.0.0.1:${await freePort()}`
    const both = at(url, [unused, hostIn(url.connectionString)])
    const registry = await opened(openRegistry(both))
    expect((await right(registry.areaOfUser(user('1')))).location).toBe('1')
    const writer = await opened(openRegistryWriter(both))
    expect(await right(writer.accounts.all)).toHaveLength(1)
    expect((await left(openRegistry(at(url, [unused, `localhost:${await freePort()}`])))).message).toMatch(
      /^cannot connect to postgres:\/\/postgres@127\.0\.0\.1:\d+,localhost:\d+\/registry_\d+: .*ECONNREFUSED/,
    )
  })

  it('a URL of several hosts follows the primary to a promoted standby; `any` accepts a standby', async () => {
    const { url, server } = await made(running)
    const standby = await server.newStandby()
    onTestFinished(standby.stop)
    const there = standby.urlOf(url.connectionString)
    const primary = await forwarder(new URL(url.connectionString))
    const hosts = [hostIn(there), hostIn(primary.connectionString)]
    const any = await opened(openRegistry(at(url, hosts, '?target_session_attrs=any')))
    const registry = await opened(openRegistry(at(url, hosts)))
    const writer = await opened(openRegistryWriter(at(url, hosts)))
    await right(writer.accounts.update(user('1'), { verified: false }))
    expect(await left(registry.areaOfUser(user('1')))).toEqual({ error: 'permission denied' })
    const raw = forThisTest(await rawDatabase({ ...url, connectionString: there }))
    // A promoted standby loses changes that it has not received.
    await expect.poll(() => raw.selectFrom('accounts').select('verified').execute()).toEqual([{ verified: 0 }])
    await primary.close()
    // Before a promotion there is only a standby.
    for (const _ of [1, 2]) expect((await left(registry.areaOfUser(user('1')))).error).toBe('external')
    await sql`select pg_promote()`.execute(raw)
    expect(await left(registry.areaOfUser(user('1')))).toEqual({ error: 'permission denied' })
    await right(writer.accounts.update(user('1'), { verified: true }))
    expect((await right(registry.areaOfUser(user('1')))).location).toBe('1')
    expect((await right(any.areaOfUser(user('1')))).location).toBe('1')
  })

  it('a standby serves replayed changes while other transactions are open', async () => {
    const { url, server } = await made(running)
    const standby = await server.newStandby()
    const urlThere = { ...url, connectionString: standby.urlOf(url.connectionString) }
    onTestFinished(standby.stop)
    const primary = forThisTest(await rawDatabase(url))
    // Writers of one registry wait for each other.
    const elsewhere = forThisTest(await rawDatabase({ ...url, connectionString: server.url }))
    const there = forThisTest(await rawDatabase(urlThere))
    const registry = await opened(openRegistry(urlThere))
    // One transaction is older than the change and stays open. Another is newer and ends before it.
    const older = await elsewhere.startTransaction().execute()
    await sql`create table other (n int)`.execute(older)
    const change = await primary.startTransaction().execute()
    await change.updateTable('settings').set({ visibility: 'private' }).execute()
    await running().newUrl()
    await expect.poll(() => hasCaughtUp(older, there)).toBe(true)
    expect(await right(registry.settingsOf(user('1')))).toEqual(Settings.fromRecord({ '/': 'public' }))
    await change.commit().execute()
    await expect.poll(() => hasCaughtUp(older, there)).toBe(true)
    expect(await right(registry.settingsOf(user('1')))).toEqual(Settings.fromRecord({ '/': 'private' }))
    await older.rollback().execute()
  })
}
