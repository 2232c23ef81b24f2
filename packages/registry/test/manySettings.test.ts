import { setTimeout as sleep } from 'node:timers/promises'
import { Settings } from '@canopy/domain'
import * as O from 'fp-ts/lib/Option.js'
import { sql } from 'kysely'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openRegistryWriter } from '../src/admin/RegistryWriter.js'
import { openRegistry } from '../src/openRegistry.js'
import { sha256Hex } from '../src/rows.js'
import { engines, rawDatabase } from './engines.js'
import { forThisTest, opened, right } from './right.js'
import { newAccount, path, rowsOfTwo, two } from './values.js'

// At length: `npm run check:long`.
const many = process.env['CANOPY_TEST'] === 'long' ? 1_000_000 : 100_000

// SQLite runs the same code.
describe.each(engines.filter(({ name }) => name === 'PostgreSQL'))('an area with many settings in $name', (engine) => {
  it('is read in one state while it changes', async () => {
    const running = await engine.start()
    onTestFinished(() => running.stop())
    const url = await running.newRegistry()
    const writer = await opened(openRegistryWriter(url))
    await right(writer.accounts.create(newAccount({ id: two })))
    const raw = forThisTest(await rawDatabase(url))
    for (let from = 1; from < many; from += 50_000)
      await sql`
        insert into settings select ${rowsOfTwo}, encode(sha256(('/' || n)::bytea), 'hex'), '/' || n, 'public'
        from generate_series(${from}::int, ${from + 49_999}::int) n`.execute(raw)
    const registry = await opened(openRegistry(url))

    // Always changed in one transaction: a difference between them shows a mixed state.
    const together = ['/1', '/50000', '/99999'].map(path)
    const state = { isReading: true, changes: 0 }
    const change = async (): Promise<void> => {
      for (; state.isReading; await sleep(5)) {
        const visibility = state.changes % 2 === 0 ? 'hidden' : 'private'
        const rows = raw.updateTable('settings').set({ visibility }).where('account', '=', rowsOfTwo)
        await rows.where('path_sha256', 'in', together.map(sha256Hex)).execute()
        state.changes += 1
      }
    }
    const changing = change()
    for (let times = 0; times < 3; times += 1) {
      const settings = await right(registry.settingsOf(two))
      expect(Settings.size(settings)).toBe(many)
      expect(new Set(together.map((at) => O.toUndefined(Settings.ownAt(settings, at)))).size).toBe(1)
    }
    state.isReading = false
    await changing
    expect(state.changes).toBeGreaterThan(10)
  }, 300_000)
})
