import { Settings } from '@canopy/domain'
import { DatabaseSync } from '@photostructure/sqlite'
import * as O from 'fp-ts/lib/Option.js'
import { type Kysely, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CopyOptions, copyRegistry } from '../../src/admin/copyRegistry.js'
import { migrateTo } from '../../src/admin/migrations.js'
import { openRegistryWriter } from '../../src/admin/RegistryWriter.js'
import { openRegistry } from '../../src/openRegistry.js'
import type { RegistryUrl } from '../../src/RegistryUrl.js'
import { padded } from '../../src/rows.js'
import { migrationNames, migrationTable, type Schema } from '../../src/Schema.js'
import { type Running, rawDatabase, sqlite } from '../engines.js'
import { forThisTest, left, opened, right } from '../right.js'
import { newAccount, newToken, newTrigger, one, path, rule, seconds, token, triggerId, user } from '../values.js'

const quietly = { replace: false, onProgress: () => undefined }

const many = 2_500
const rowsOfOne = padded(one)

const over = async <A>(url: RegistryUrl, use: (raw: Kysely<Schema>) => Promise<A>): Promise<A> => {
  const raw = await rawDatabase(url)
  return use(raw).finally(() => raw.destroy())
}

/** All rows of operators, sorted here because collations differ. */
const contentOf = (url: RegistryUrl) =>
  over(url, async (raw) => {
    const all = await Promise.all(
      (['accounts', 'tokens', 'settings', 'rules', 'triggers'] as const).map((table) =>
        raw.selectFrom(table).selectAll().execute(),
      ),
    )
    return all.map((rows) => rows.map((row) => JSON.stringify(row, Object.keys(row).sort())).sort())
  })

const fill = async (url: RegistryUrl): Promise<void> => {
  const writer = await right(openRegistryWriter(url))
  await right(writer.accounts.create(newAccount({ id: one, name: O.some('Zoë "Z" O\'Neill') })))
  await right(writer.accounts.create(newAccount({ id: user('18446744073709551615'), verified: false })))
  await right(writer.tokens.add(newToken(one, { scope: path('/ü'), expires: O.some(seconds(2n ** 64n - 1n)) })))
  await right(writer.settings.set(one, path('/ü'), 'hidden'))
  await right(writer.rules.add(one, [rule('.é*', 'hidden'), rule('.*')]))
  for (const id of ['é', 'z', 'Z', '-', '~']) await right(writer.triggers.create(newTrigger(id)))
  await writer.close()
  await over(url, async (raw) => {
    await raw.insertInto('triggers').values({ id: 'broken', value: 'no JSON', expires: null }).execute()
    const rows = Array.from({ length: many }, (_, n) => ({
      account: rowsOfOne,
      path_sha256: `${n}`.padStart(64, '0'),
      path: `/${n}`,
      visibility: 'public',
    }))
    await raw.insertInto('settings').values(rows).execute()
  })
}

const all = { accounts: 2, tokens: 1, settings: many + 1, rules: 2, triggers: 6 }

export const registriesAreCopied = (running: () => Running): void => {
  describe('a copy', () => {
    const started: { sqlite?: Running } = {}
    const files = (): Running => started.sqlite ?? running()
    beforeAll(async () => {
      started.sqlite = await sqlite.start()
    })
    afterAll(() => started.sqlite?.stop())

    const copied = async (from: RegistryUrl, to: RegistryUrl, options: Partial<CopyOptions> = {}) =>
      right(copyRegistry(from, to, { ...quietly, ...options }))

    it.each([
      ['of the same engine', running, running],
      ['in SQLite', running, files],
      ['of one in SQLite', files, running],
    ])('%s has the same rows, and a server reads it', async (_, from, to) => {
      const source = await from().newRegistry()
      await fill(source)
      const target = await to().newUrl()
      const steps: Array<readonly [number, number]> = []
      expect(await copied(source, target, { onProgress: (...step) => steps.push(step) })).toEqual(all)
      expect(await contentOf(target)).toEqual(await contentOf(source))
      expect(steps.at(-1)).toEqual([2 * (many + 12), 2 * (many + 12)])
      expect(steps.length).toBeGreaterThan(8)
      const registry = await opened(openRegistry(target))
      const settings = await right(registry.settingsOf(one))
      expect(Settings.size(settings)).toBe(many + 1)
      expect(Settings.rules(settings)).toEqual([rule('.*'), rule('.é*', 'hidden')])
      expect(await right(registry.areaOfToken(token(1)))).toMatchObject({ scope: '/ü' })
    })

    it('leaves a target of an older version unchanged, unless it replaces everything', async () => {
      const [source, target] = [await running().newRegistry(), await running().newUrl()]
      await over(target, (raw) => migrateTo(raw, target.engine, migrationNames[3]))
      const steps = () => over(target, (raw) => raw.selectFrom(migrationTable).select('name').execute())
      const before = await steps()
      expect((await left(copyRegistry(source, target, quietly))).error).toBe('registry unavailable')
      expect(await steps()).toEqual(before)
      await copied(source, target, { replace: true })
      expect(await steps()).toHaveLength(migrationNames.length)
    })

    it('refuses a source that a newer version extended, because a copy would lose the extension', async () => {
      const [source, target] = [await running().newRegistry(), await running().newUrl()]
      await over(source, (raw) =>
        raw.insertInto(migrationTable).values({ name: '9999_more_additive', timestamp: '2026' }).execute(),
      )
      expect(await left(copyRegistry(source, target, quietly))).toMatchObject({
        error: 'registry unavailable',
        reason: expect.stringContaining('newer version of Canopy'),
      })
    })

    it('is of one state while a command writes', async () => {
      const [source, target] = [await running().newRegistry(), await files().newUrl()]
      await fill(source)
      const raw = forThisTest(await rawDatabase(source))
      // A copy of SQLite blocks this process, so this connection writes within its progress.
      const direct = source.engine === 'SQLite' ? new DatabaseSync(source.path) : undefined
      const writes: Array<unknown> = []
      // In one transaction. The copy reads the first table first and the other one last.
      const write = () => {
        const change = `begin;
          update accounts set name = '${writes.length}' where id = '${rowsOfOne}';
          update triggers set expires = '${`${writes.length}`.padStart(20, '0')}' where id = 'z';
          commit`
        writes.push(direct === undefined ? sql.raw(change).execute(raw) : direct.exec(change))
      }
      for (let times = 0; times < 5; times += 1) {
        write()
        // A copy that began before the first write would have the rows of `fill`.
        await Promise.all(writes)
        await copied(source, target, { replace: true, onProgress: write })
        await Promise.all(writes)
        const { rows } = await over(target, (copy) =>
          sql<{ name: string; expires: string }>`
            select name, expires from accounts, triggers where accounts.id = ${rowsOfOne} and triggers.id = 'z'`.execute(
            copy,
          ),
        )
        expect(rows.map(({ expires }) => `${Number(expires)}`)).toEqual(rows.map(({ name }) => name))
        expect(Number(rows[0]?.name)).toBeLessThan(writes.length - 1)
      }
      direct?.close()
    })

    it('with `replace` deletes the old rows, and the next read of a server sees it', async () => {
      const [source, target] = [await running().newRegistry(), await running().newRegistry()]
      await fill(source)
      await fill(target)
      const writer = await right(openRegistryWriter(target))
      await right(writer.settings.set(one, path('/ü'), 'public'))
      await right(writer.triggers.create(newTrigger('newer')))
      await writer.close()
      const registry = await opened(openRegistry(target))
      expect(Settings.ownAt(await right(registry.settingsOf(one)), path('/ü'))).toEqual(O.some('public'))
      await right(registry.triggerOf(triggerId('newer')))
      await copied(source, target, { replace: true })
      expect(Settings.ownAt(await right(registry.settingsOf(one)), path('/ü'))).toEqual(O.some('hidden'))
      expect(await left(registry.triggerOf(triggerId('newer')))).toEqual({ error: 'trigger not found' })
    })

    it('leaves the target unchanged if it is refused or fails, and can be repeated', async () => {
      const [source, target] = [await running().newRegistry(), await running().newRegistry()]
      await fill(source)
      await over(target, (raw) =>
        raw.insertInto('triggers').values({ id: 'mine', value: '{"type":"t"}', expires: null }).execute(),
      )
      const before = await contentOf(target)
      expect(await left(copyRegistry(source, target, quietly))).toMatchObject({
        error: 'registry not empty',
        rows: { accounts: 0, tokens: 0, settings: 0, rules: 0, triggers: 1 },
      })
      expect(await contentOf(target)).toEqual(before)
      const breakOff = (done: number): void => {
        if (done > many) throw new Error('broken off')
      }
      expect(await left(copyRegistry(source, target, { replace: true, onProgress: breakOff }))).toMatchObject({
        error: 'external',
        cause: { message: 'broken off' },
      })
      expect(await contentOf(target)).toEqual(before)
      expect(await copied(source, target, { replace: true })).toEqual(all)
    })

    it.each([
      ['a row differs', "update triggers set value = 'changed' where id = 'z'"],
      ['a row is missing', "delete from triggers where id = 'z'"],
    ])('is refused if %s after the write', async (_, change) => {
      const [source, target] = [await running().newRegistry(), await files().newRegistry()]
      await fill(source)
      const fault = `create trigger fault after insert on triggers when new.id = 'z' begin ${change}; end`
      await over(target, (raw) => sql.raw(fault).execute(raw))
      expect(await left(copyRegistry(source, target, quietly))).toMatchObject({
        error: 'external',
        cause: { message: 'the copy of triggers did not match the source, so it was rolled back' },
      })
      expect(await over(target, (raw) => raw.selectFrom('triggers').selectAll().execute())).toEqual([])
    })
  })
}
