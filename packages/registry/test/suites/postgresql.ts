import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { inspect } from 'node:util'
import { Settings } from '@canopy/domain'
import { forwarder, freePort } from '@canopy/test-support'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { openRegistryReader, openRegistryWriter } from '../../src/admin/RegistryWriter.js'
import { openRegistry } from '../../src/openRegistry.js'
import { readPostgresql } from '../../src/postgresql.js'
import { PostgresqlPool } from '../../src/postgresqlPool.js'
import type { PostgresqlUrl } from '../../src/RegistryUrl.js'
import { migrationTable } from '../../src/Schema.js'
import { driverReason } from '../../src/Unavailable.js'
import type { Running } from '../engines.js'
import { rawDatabase } from '../rawDatabase.js'
import { forThisTest, left, opened, openRegistryWith, patient, right } from '../right.js'
import { newAccount, user } from '../values.js'

const impatient = { connectTimeoutMs: 300, statementTimeoutMs: 300 }

const cutOthers = sql`
  select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid()`

const postgres = (connectionString: string): PostgresqlUrl => ({ engine: 'PostgreSQL', connectionString })

export const postgresqlIsRead = (running: () => Running): void => {
  const made = async (): Promise<PostgresqlUrl> => {
    const url = await running().newRegistry()
    const writer = await right(openRegistryWriter(url))
    await right(writer.accounts.create(newAccount()))
    await writer.close()
    if (url.engine !== 'PostgreSQL') throw new Error('this suite is for PostgreSQL')
    return url
  }

  describe('a session of a server', () => {
    it.each(['', '?options=-c%20default_transaction_read_only%3Doff'])('cannot write %s', async (parameters) => {
      const { connectionString } = await made()
      const { db } = readPostgresql(`${connectionString}${parameters}`, patient)
      await expect(db.deleteFrom('accounts').execute()).rejects.toThrow('read-only transaction')
      expect(await db.selectFrom('accounts').selectAll().execute()).toHaveLength(1)
      await db.destroy()
    })

    it('needs no right but to select, and by its role a command reads which one may write', async () => {
      const url = await made()
      const raw = forThisTest(await rawDatabase(url))
      await sql`drop role if exists canopy_server`.execute(raw)
      await sql`create role canopy_server login`.execute(raw)
      await sql`grant select on all tables in schema public to canopy_server`.execute(raw)
      const asServer = postgres(url.connectionString.replace('postgres@', 'canopy_server@'))
      const registry = await right(openRegistry(asServer))
      expect((await right(registry.areaOfUser(user('1')))).location).toBe('1')
      expect(Settings.size(await right(registry.settingsOf(user('1'))))).toBe(0)
      await registry.close()
      for (const setting of ['reset default_transaction_read_only', 'set default_transaction_read_only = on']) {
        await sql`alter role canopy_server ${sql.raw(setting)}`.execute(raw)
        const writer = await opened(openRegistryWriter(asServer))
        expect(await right(writer.accounts.all)).toHaveLength(1)
        const refusal = await left(writer.accounts.create(newAccount({ id: user('2') })))
        expect('cause' in refusal ? driverReason(refusal.cause) : '').toMatch(
          /(read-only transaction|permission denied).*URL of the role that may write.*on the primary/,
        )
      }
      await sql`drop owned by canopy_server`.execute(raw)
    })
  })

  it('a version is of one run of the server: set back, or replaced, it counts the same numbers again', async () => {
    const { connectionString } = await made()
    const { db, version } = readPostgresql(connectionString, patient)
    const { rows } = await sql<{ since: string }>`select pg_postmaster_start_time()::text as since`.execute(db)
    expect(await version()).toMatch(/^\d+:\d+:\S* /)
    expect(await version()).toContain(` ${rows[0]?.since}`)
    await db.destroy()
  })

  it('a batch that fails says why', async () => {
    const { connectionString } = await made()
    const { db, snapshot, batches } = readPostgresql(connectionString, patient)
    const fails = snapshot((one) =>
      batches(one, one.selectFrom('accounts').select(sql<number>`1 / mount_point`.as('n'))).next(),
    )
    await expect(fails).rejects.toThrow('division by zero')
    await db.destroy()
  })

  it('a slow database is `external`', async () => {
    const url = await made()
    const registry = await opened(openRegistryWith(url, impatient))
    const raw = forThisTest(await rawDatabase(url))
    const transaction = await raw.startTransaction().execute()
    await sql`lock table accounts in access exclusive mode`.execute(transaction)
    expect((await left(registry.areaOfUser(user('1')))).error).toBe('external')
    await transaction.rollback().execute()
    expect((await right(registry.areaOfUser(user('1')))).location).toBe('1')
  })

  it('a database that says nothing any more is `external` for all who ask', async () => {
    const { connectionString } = await made()
    const through = await forwarder(new URL(connectionString))
    const registry = await opened(openRegistryWith(postgres(through.connectionString), impatient))
    expect((await right(registry.areaOfUser(user('1')))).location).toBe('1')
    through.hang()
    const asked = [1, 2, 3].map(() => left(registry.areaOfUser(user('1'))))
    expect((await Promise.all(asked)).map(({ error }) => error)).toEqual(['external', 'external', 'external'])
    await through.close()
  })

  it('a connection that went dead is given up: who asks next is answered by another one', async () => {
    const { connectionString } = await made()
    const through = await forwarder(new URL(connectionString))
    const one = { connectTimeoutMs: 1000, statementTimeoutMs: 300, maxConnections: 1 }
    const registry = await opened(openRegistryWith(postgres(through.connectionString), one))
    expect((await right(registry.areaOfUser(user('1')))).location).toBe('1')
    through.hang()
    expect((await left(registry.areaOfUser(user('1')))).error).toBe('external')
    through.revive()
    expect((await right(registry.areaOfUser(user('1')))).location).toBe('1')
    await through.close()
  })

  it('a connection by which the server refused a statement is used again', async () => {
    const { connectionString } = await made()
    const pool = new PostgresqlPool(connectionString, { ...patient, maxConnections: 1 })
    const session = async () => {
      const client = await pool.connect()
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid', [])
      return { client, pid: rows[0]?.pid }
    }
    const first = await session()
    await expect(first.client.query('select no_such_column', [])).rejects.toThrow('does not exist')
    first.client.release()
    const second = await session()
    expect(second.pid).toBe(first.pid)
    second.client.release()
    await pool.end()
  })

  it('a change whose turn did not come leaves its connection as it was: what is asked by it next is answered', async () => {
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

  it('more requests at once than connections are answered, one after the other', async () => {
    const registry = await opened(openRegistryWith(await made()))
    const areas = await Promise.all(Array.from({ length: 50 }, () => right(registry.areaOfUser(user('1')))))
    expect(areas).toHaveLength(50)
  })

  it('a server outlives its connections, idle and busy ones', async () => {
    const url = await made()
    const registry = await opened(openRegistryWith(url))
    const raw = forThisTest(await rawDatabase(url))
    const lock = await raw.startTransaction().execute()
    await sql`lock table accounts in access exclusive mode`.execute(lock)
    const asked = left(registry.areaOfUser(user('1')))
    // A second connection, to be idle when it is cut.
    await right(registry.settingsOf(user('1')))
    await cutOthers.execute(lock)
    expect((await asked).error).toBe('external')
    await lock.rollback().execute()
    await expect.poll(() => registry.areaOfUser(user('1'))(), { timeout: 10_000 }).toMatchObject({ _tag: 'Right' })
  })

  it('a process outlives a connection that is cut in the middle of a transaction', async () => {
    const url = await made()
    const raw = forThisTest(await rawDatabase(url))
    const change = await raw.startTransaction().execute()
    const other = forThisTest(await rawDatabase(url))
    await cutOthers.execute(other)
    // No query is under way, so only the connection itself hears of it: closed, or reset while it wrote.
    const isGone = /connection|ECONNRESET/i
    const sessions = sql<{ count: string }>`select count(*) from pg_stat_activity where datname = current_database()`
    await expect.poll(async () => (await sessions.execute(other)).rows[0]?.count).toBe('1')
    await expect(change.selectFrom('accounts').selectAll().execute()).rejects.toThrow(isGone)
    await expect(change.rollback().execute()).rejects.toThrow(isGone)
    expect(await raw.selectFrom('accounts').selectAll().execute()).toHaveLength(1)
  })

  it('a registry of a newer version is refused and closed again', async () => {
    const url = await made()
    const raw = forThisTest(await rawDatabase(url))
    const timestamp = new Date().toISOString()
    await raw.insertInto(migrationTable).values({ name: '9999_future', timestamp }).execute()
    const others = sql`
      select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`
    for (const open of [openRegistry(url), openRegistryReader(url), openRegistryWriter(url)]) {
      expect(await left<unknown, unknown>(open)).toMatchObject({ message: expect.stringContaining('newer Canopy') })
      // The server needs a moment to see that a connection has ended.
      await expect.poll(async () => (await others.execute(raw)).rows.length).toBe(0)
    }
  })

  describe('a server does not start', () => {
    const secret = 's3cret'

    it('where no database answers, and never shows the password', async () => {
      const url = postgres(`postgres://canopy:${secret}@127.0.0.1:${await freePort()}/canopy`)
      for (const failure of [await left(openRegistry(url)), await left(openRegistryWriter(url))]) {
        expect(failure.message).toMatch(/^postgres:\/\/canopy@127\.0\.0\.1:\d+\/canopy does not answer: .*ECONNREFUSED/)
        expect(inspect(failure, { depth: Number.POSITIVE_INFINITY, showHidden: true })).not.toContain(secret)
      }
    })

    it('where something accepts connections and says nothing', async () => {
      const sockets: Socket[] = []
      const silent = createServer((socket) => void sockets.push(socket)).listen(0, '127.0.0.1')
      await once(silent, 'listening')
      const { port } = silent.address() as AddressInfo
      const failure = await left(openRegistryWith(postgres(`postgres://canopy@127.0.0.1:${port}/canopy`), impatient))
      expect(failure.message).toContain('timeout')
      for (const socket of sockets) socket.destroy()
      silent.close()
    })
  })
}
