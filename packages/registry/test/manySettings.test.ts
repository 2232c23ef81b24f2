import { setTimeout as sleep } from 'node:timers/promises'
import { Settings } from '@canopy/domain'
import * as O from 'fp-ts/lib/Option.js'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openRegistryWriter } from '../src/admin/RegistryWriter.js'
import { openRegistry } from '../src/openRegistry.js'
import { sha256Hex } from '../src/rows.js'
import { engines, type Running } from './engines.js'
import { rawDatabase } from './rawDatabase.js'
import { right } from './right.js'
import { one, rowsOfTwo, two } from './settingsByHand.js'
import { newAccount, path } from './values.js'

// At length: `npm run check:long`.
const many = process.env['CANOPY_TEST'] === 'long' ? 1_000_000 : 100_000
/** What one call of the registry may take. */
const deadlineMs = 25_000

// PostgreSQL, where it is installed: what SQLite does of this is the same code.
describe.each(engines.filter(({ name }) => name === 'PostgreSQL'))(
  'an area with very many settings in $name',
  (engine) => {
    let running: Running
    beforeAll(async () => {
      running = await engine.start()
    })
    afterAll(() => running.stop())

    it('is read while they change all the time, as they are at one moment, and others are answered', async () => {
      const url = await running.newRegistry()
      const writer = await right(openRegistryWriter(url))
      for (const id of [one, two]) await right(writer.accounts.create(newAccount({ id })))
      await right(writer.settings.set(one, path('/'), 'public'))
      await writer.close()
      const raw = await rawDatabase(url)
      for (let from = 1; from < many; from += 50_000)
        await sql`
        insert into settings select ${rowsOfTwo}, encode(sha256(('/' || n)::bytea), 'hex'), '/' || n, 'public'
        from generate_series(${from}::int, ${from + 49_999}::int) n`.execute(raw)
      const registry = await right(openRegistry(url))

      // In one transaction always: where two of them differ, two moments were read.
      const together = ['/1', '/50000', '/99999'].map(path)
      let changes = 0
      const state = { changing: true }
      const change = async (): Promise<void> => {
        while (state.changing) {
          const visibility = changes % 2 === 0 ? 'hidden' : 'private'
          await raw
            .updateTable('settings')
            .set({ visibility })
            .where('account', '=', rowsOfTwo)
            .where('path_sha256', 'in', together.map(sha256Hex))
            .execute()
          changes += 1
          await sleep(5)
        }
      }
      let slowest = 0
      const askOther = async (): Promise<void> => {
        while (state.changing) {
          const began = performance.now()
          expect(Settings.size(await right(registry.settingsOf(one)))).toBe(1)
          slowest = Math.max(slowest, performance.now() - began)
          await sleep(5)
        }
      }
      const others = [change(), askOther()]
      const took: Array<number> = []
      const ask = async (): Promise<Settings.Settings> => {
        const began = performance.now()
        const settings = await right(registry.settingsOf(two))
        took.push(performance.now() - began)
        expect(Settings.size(settings)).toBe(many)
        expect(new Set(together.map((at) => O.toUndefined(Settings.ownAt(settings, at)))).size).toBe(1)
        return settings
      }
      for (let times = 0; times < 2; times += 1) {
        const [first, [second, third]] = await Promise.all([
          ask(),
          sleep(many / 1_000).then(() => Promise.all([ask(), ask()])),
        ])
        // One reading for all that ask while another one is under way.
        // `toBe` compares the contents of two that are not the same, and holds the event loop for seconds.
        expect(second === third).toBe(true)
        expect(second === first).toBe(false)
      }
      state.changing = false
      await Promise.all(others)
      expect(changes).toBeGreaterThan(10)
      expect(Math.max(...took)).toBeLessThan(deadlineMs)
      expect(slowest).toBeLessThan(5_000)
      await registry.close()
      await raw.destroy()
    }, 300_000)
  },
)
