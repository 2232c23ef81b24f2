import { inspect } from 'node:util'
import { Settings } from '@canopy/domain'
import { forwarder, freePort } from '@canopy/test-support'
import { type Kysely, sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { openRegistryWriter } from '../../src/admin/RegistryWriter.js'
import { openRegistry } from '../../src/openRegistry.js'
import { readPostgresql } from '../../src/postgresql.js'
import type { PostgresqlUrl } from '../../src/RegistryUrl.js'
import type { Schema } from '../../src/Schema.js'
import { driverReason } from '../../src/Unavailable.js'
import { publicPostgresql, type Running, rawDatabase, serverOf } from '../engines.js'
import { forThisTest, left, opened, openRegistryWith, patient, right } from '../right.js'
import { newAccount, user } from '../values.js'

const cutOthers = sql`
  select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid()`

const postgres = (connectionString: string): PostgresqlUrl => ({ engine: 'PostgreSQL', connectionString })

const at = (url: PostgresqlUrl, hosts: ReadonlyArray<string>, parameters = ''): PostgresqlUrl => {
  const { username, pathname } = new URL(url.connectionString)
  return { ...url, connectionString: `postgres://${username}@${hosts.join()}${pathname}${parameters}` }
}

const hostIn = (connectionString: string): string => new URL(connectionString).host

/** Reports whether the standby has replayed all writes of the primary. */
const hasCaughtUp = async (primary: Kysely<Schema>, standby: Kysely<Schema>): Promise<boolean> => {
  const written = await sql<{ at: string }>`select pg_current_wal_insert_lsn()::text as at`.execute(primary)
  const { rows } = await sql<{ there: boolean }>`
    select pg_last_wal_replay_lsn() >= ${written.rows[0]?.at}::pg_lsn as there`.execute(standby)
  return rows[0]?.there === true
}

export const failoverIsFollowed = (running: () => Running): void => {
  it('a URL of several hosts connects servers and commands to the first host that answers', async () => {
    const url = await publicPostgresql(running())
    const unused = `127.0.0.1:${await freePort()}`
    const both = at(url, [unused, hostIn(url.connectionString)])
    const registry = await opened(openRegistry(both))
    expect((await right(registry.areaOfUser(user('1')))).location).toBe('1')
    const writer = await opened(openRegistryWriter(both))
    expect(await right(writer.accounts.all)).toHaveLength(1)
    expect((await left(openRegistry(at(url, [unused, `localhost:${await freePort()}`])))).message).toMatch(
      /^cannot open postgres:\/\/postgres@127\.0\.0\.1:\d+,localhost:\d+\/registry_\d+: .*ECONNREFUSED/,
    )
  })

  it('a URL of several hosts follows the primary to a promoted standby; `any` accepts a standby', async () => {
    const [url, server] = [await publicPostgresql(running()), serverOf(running())]
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
    const [url, server] = [await publicPostgresql(running()), serverOf(running())]
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

export const postgresqlIsRead = (running: () => Running): void => {
  const made = () => publicPostgresql(running())

  it.each(['', '?options=-c%20default_transaction_read_only%3Doff'])('a server cannot write %s', async (parameters) => {
    const { connectionString } = await made()
    const { db } = readPostgresql(`${connectionString}${parameters}`, patient)
    await expect(db.deleteFrom('accounts').execute()).rejects.toThrow('read-only transaction')
    expect(await db.selectFrom('accounts').selectAll().execute()).toHaveLength(1)
    await db.destroy()
  })

  it('a server needs only the right to select; a refused write names the role that may', async () => {
    const url = await made()
    const raw = forThisTest(await rawDatabase(url))
    await sql`drop role if exists canopy_server`.execute(raw)
    await sql`create role canopy_server login`.execute(raw)
    await sql`grant select on all tables in schema public to canopy_server`.execute(raw)
    const asServer = postgres(url.connectionString.replace('postgres@', 'canopy_server@'))
    const registry = await right(openRegistry(asServer))
    expect((await right(registry.areaOfUser(user('1')))).location).toBe('1')
    expect(Settings.size(await right(registry.settingsOf(user('1'))))).toBe(1)
    await registry.close()
    for (const setting of ['reset default_transaction_read_only', 'set default_transaction_read_only = on']) {
      await sql`alter role canopy_server ${sql.raw(setting)}`.execute(raw)
      const writer = await opened(openRegistryWriter(asServer))
      expect(await right(writer.accounts.all)).toHaveLength(1)
      const refusal = await left(writer.accounts.create(newAccount({ id: user('2') })))
      expect('cause' in refusal ? driverReason(refusal.cause) : '').toMatch(
        /(read-only transaction|permission denied).*URL of the read-write role on the primary/,
      )
    }
    await sql`drop owned by canopy_server`.execute(raw)
  })

  it('a version contains the start time of the server, because a restored one repeats numbers', async () => {
    const { connectionString } = await made()
    const { db, version } = readPostgresql(connectionString, patient)
    const { rows } = await sql<{ since: string }>`select pg_postmaster_start_time()::text as since`.execute(db)
    expect(await version()).toMatch(/^\d+:\d+:\S* /)
    expect(await version()).toContain(` ${rows[0]?.since}`)
    await db.destroy()
  })

  it('a slow database is `external`', async () => {
    const url = await made()
    const registry = await opened(openRegistryWith(url, { statementTimeoutMs: 300 }))
    const raw = forThisTest(await rawDatabase(url))
    const transaction = await raw.startTransaction().execute()
    await sql`lock table accounts in access exclusive mode`.execute(transaction)
    expect((await left(registry.areaOfUser(user('1')))).error).toBe('external')
    await transaction.rollback().execute()
    expect((await right(registry.areaOfUser(user('1')))).location).toBe('1')
  })

  it('a silent database is `external` and starts no server; its dead connection is replaced', async () => {
    const through = await forwarder(new URL((await made()).connectionString))
    onTestFinished(async () => void (await through.close()))
    const limits = { connectTimeoutMs: 1000, statementTimeoutMs: 300, maxConnections: 1 }
    const open = openRegistryWith(postgres(through.connectionString), limits)
    const { areaOfUser } = await opened(open)
    expect((await right(areaOfUser(user('1')))).location).toBe('1')
    through.hang()
    const asked = [1, 2, 3].map(() => left(areaOfUser(user('1'))))
    expect((await Promise.all(asked)).map(({ error }) => error)).toEqual(['external', 'external', 'external'])
    expect((await left(open)).message).toContain('timeout')
    through.revive()
    expect((await right(areaOfUser(user('1')))).location).toBe('1')
  })

  it('a writer that times out waiting for its turn leaves its connection usable', async () => {
    const url = await made()
    const [raw, impatiently] = [
      await rawDatabase(url),
      await rawDatabase(postgres(`${url.connectionString}?options=-c%20lock_timeout%3D100`)),
    ]
    const turn = await raw.startTransaction().execute()
    await expect(impatiently.startTransaction().execute()).rejects.toThrow('lock timeout')
    expect(await impatiently.selectFrom('accounts').selectAll().execute()).toHaveLength(1)
    await turn.rollback().execute()
    await (await impatiently.startTransaction().execute()).rollback().execute()
    await impatiently.destroy()
    await raw.destroy()
  })

  it('a server survives the loss of idle and busy connections', async () => {
    const url = await made()
    const registry = await opened(openRegistryWith(url))
    const raw = forThisTest(await rawDatabase(url))
    const lock = await raw.startTransaction().execute()
    await sql`lock table accounts in access exclusive mode`.execute(lock)
    const asked = left(registry.areaOfUser(user('1')))
    // The second connection is idle when it is cut.
    await right(registry.settingsOf(user('1')))
    await cutOthers.execute(lock)
    expect((await asked).error).toBe('external')
    await lock.rollback().execute()
    await expect.poll(() => registry.areaOfUser(user('1'))(), { timeout: 10_000 }).toMatchObject({ _tag: 'Right' })
  })

  it('a process survives the loss of a connection within a transaction', async () => {
    const url = await made()
    const raw = forThisTest(await rawDatabase(url))
    const change = await raw.startTransaction().execute()
    const other = forThisTest(await rawDatabase(url))
    await cutOthers.execute(other)
    // Without a running query, only the connection itself notices: closed, or reset during a write.
    const isGone = /connection|ECONNRESET/i
    const sessions = sql<{ count: string }>`select count(*) from pg_stat_activity where datname = current_database()`
    await expect.poll(async () => (await sessions.execute(other)).rows[0]?.count).toBe('1')
    await expect(change.selectFrom('accounts').selectAll().execute()).rejects.toThrow(isGone)
    await expect(change.rollback().execute()).rejects.toThrow(isGone)
    expect(await raw.selectFrom('accounts').selectAll().execute()).toHaveLength(1)
  })

  it('a server does not start without a database, and does not show the password', async () => {
    const url = postgres(`postgres://canopy:s3cret@127.0.0.1:${await freePort()}/canopy`)
    for (const failure of [await left(openRegistry(url)), await left(openRegistryWriter(url))]) {
      expect(failure.message).toMatch(/^cannot open postgres:\/\/canopy@127\.0\.0\.1:\d+\/canopy: .*ECONNREFUSED/)
      expect(inspect(failure, { depth: Number.POSITIVE_INFINITY, showHidden: true })).not.toContain('s3cret')
    }
  })
}
