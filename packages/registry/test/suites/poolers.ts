import { type Pgbouncer, pgbouncerIsTested, startPgbouncer } from '@canopy/test-support'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openRegistryWriter } from '../../src/admin/RegistryWriter.js'
import { openRegistry } from '../../src/openRegistry.js'
import { readPostgresql } from '../../src/postgresql.js'
import type { RegistryUrl } from '../../src/RegistryUrl.js'
import { publicPostgresql, type Running, rawDatabase, serverOf } from '../engines.js'
import { forThisTest, opened, right } from '../right.js'
import { user } from '../values.js'
import { serversRead } from './reading.js'
import { operatorsWrite } from './writing.js'

if (!pgbouncerIsTested)
  console.warn('PgBouncer is not tested: install the package pgbouncer (apt-get install pgbouncer).')

const options = { maxConnections: 8, connectTimeoutMs: 5000, statementTimeoutMs: 4321 }

const modes = pgbouncerIsTested ? (['session', 'transaction'] as const) : []

export const poolersServe = (running: () => Running): void => {
  describe.each(modes)('behind PgBouncer in %s mode', (mode) => {
    let pooler: Pgbouncer
    beforeAll(async () => {
      pooler = await startPgbouncer(serverOf(running()).url, mode, ['postgres'])
    })
    afterAll(() => pooler.stop())

    const behind = (url: RegistryUrl): RegistryUrl =>
      url.engine === 'SQLite' ? url : { ...url, connectionString: pooler.urlOf(url.connectionString) }
    const through = (): Running => ({ ...running(), newRegistry: async () => behind(await running().newRegistry()) })

    // A session keeps more than a transaction.
    if (mode === 'transaction') {
      serversRead(through)
      operatorsWrite(through)
    }

    it('a server cannot write, and no limit leaks to other clients', async () => {
      const url = await publicPostgresql(through())
      const writer = await opened(openRegistryWriter(url))
      const registry = await opened(openRegistry(url))
      const reading = readPostgresql(url.connectionString, options)
      const raw = forThisTest(await rawDatabase(url))
      const limits = sql<{ timeout: string; read_only: string }>`
        select current_setting('statement_timeout') as timeout, current_setting('transaction_read_only') as read_only`
      const seen = { byServers: new Set<string>(), byOthers: new Set<string>() }
      const look = async (db: typeof raw, by: Set<string>): Promise<void> => {
        for (const row of (await limits.execute(db)).rows) by.add(`${row.timeout} ${row.read_only}`)
      }
      for (let times = 0; times < 20; times += 1) {
        await Promise.all([
          ...[1, 2, 3, 4, 5, 6, 7, 8].map(() => look(reading.db, seen.byServers)),
          right(registry.areaOfUser(user('1'))),
          right(writer.accounts.update(user('1'), { verified: true })),
        ])
        await Promise.all([1, 2, 3, 4].map(() => look(raw, seen.byOthers)))
      }
      expect(seen).toEqual({ byServers: new Set(['4321ms on']), byOthers: new Set(['0 off']) })
      await expect(reading.db.deleteFrom('accounts').execute()).rejects.toThrow('read-only transaction')
      await reading.db.destroy()
    })
  })
}
