import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { migrateTo } from '../../src/admin/migrations.js'
import { openExistingRegistryWriter, openRegistryReader, openRegistryWriter } from '../../src/admin/RegistryWriter.js'
import { openRegistry } from '../../src/openRegistry.js'
import type { RegistryUrl } from '../../src/RegistryUrl.js'
import { migrationNames, migrationTable } from '../../src/Schema.js'
import type { Unavailable } from '../../src/Unavailable.js'
import type { Running } from '../engines.js'
import { rawDatabase } from '../rawDatabase.js'
import { forThisTest, left, opened, right } from '../right.js'
import { schemaOf } from '../schemaOf.js'
import { token, triggerId, user } from '../values.js'

/** `0006_areas` only adds columns. Registries store its name, so it cannot get the ending. */
const isAdditive = (name: string): boolean => name.endsWith('_additive') || name === '0006_areas'

/** SQLite writes an added column into the definition of its table. */
const isTable = ({ sql }: { readonly sql: string | null }): boolean => /^create table/i.test(sql ?? '')

const extensionOf = ({ tables, rows }: Awaited<ReturnType<typeof schemaOf>>) => ({
  tables: expect.arrayContaining(
    tables.map((table) => ({ ...table, columns: expect.arrayContaining([...table.columns]) })),
  ),
  rows: expect.arrayContaining(rows.filter((row) => !isTable(row))),
})

export const schemasHaveVersions = (running: () => Running): void => {
  describe('the schema', () => {
    it('keeps everything that older servers read through an additive step', async () => {
      const url = await running().newUrl()
      const raw = forThisTest(await rawDatabase(url))
      for (const name of migrationNames.filter(isAdditive)) {
        await migrateTo(raw, url.engine, migrationNames[migrationNames.indexOf(name) - 1] ?? name)
        const before = await schemaOf(url)
        await migrateTo(raw, url.engine, name)
        expect(await schemaOf(url)).toEqual(extensionOf(before))
      }
      const current = await schemaOf(url)
      await sql`alter table accounts rename column verified to trusted`.execute(raw)
      expect(await schemaOf(url)).not.toEqual(extensionOf(current))
    })

    /** Records a step in a registry, as a newer version does. Returns a function that takes it back. */
    const extend = async (url: RegistryUrl, name: string): Promise<() => Promise<unknown>> => {
      const raw = forThisTest(await rawDatabase(url))
      await sql`alter table tokens add column suspended integer not null default 0`.execute(raw)
      await raw.insertInto(migrationTable).values({ name, timestamp: '9999' }).execute()
      return () => raw.deleteFrom(migrationTable).where('name', '=', name).execute()
    }

    const isNewer = /newer version of Canopy.*canopy command from that version/

    it('with additive steps of a newer version is read but not written', async () => {
      const url = await running().newRegistry()
      const before = await opened(openRegistry(url))
      await extend(url, '9999_suspended_tokens_additive')
      const after = await opened(openRegistry(url))
      for (const registry of [before, after])
        expect(await left(registry.areaOfUser(user('1')))).toEqual({ error: 'permission denied' })
      const schema = await schemaOf(url)
      expect((await left(openRegistryWriter(url))).message).toMatch(isNewer)
      expect(await schemaOf(url)).toEqual(schema)
    })

    it('with other steps of a newer version is refused, by a running server from the next read on', async () => {
      const url = await running().newRegistry()
      const registry = await opened(openRegistry(url))
      const all = [
        registry.areaOfUser(user('1')),
        registry.settingsOf(user('1')),
        registry.triggerOf(triggerId('bell')),
        registry.areaOfToken(token(1)),
      ]
      const external = { error: 'external', cause: { message: expect.stringMatching(/^the registry was .*newer/) } }
      for (const ask of all) expect(await ask()).not.toMatchObject({ left: { error: 'external' } })
      const undo = await extend(url, '9999_suspended_tokens')
      for (const ask of all) expect(await ask()).toMatchObject({ left: external })
      for (const open of [openRegistry(url), openRegistryWriter(url)])
        expect((await left<Unavailable, unknown>(open)).message).toMatch(isNewer)
      await undo()
      for (const ask of all) expect(await ask()).not.toMatchObject({ left: { error: 'external' } })
    })

    it('of an older version is refused by readers and migrated by writers', async () => {
      const url = await running().newUrl()
      const raw = await rawDatabase(url)
      await migrateTo(raw, url.engine, migrationNames[3])
      await raw.destroy()
      for (const open of [openRegistry(url), openRegistryReader(url), openRegistry(url)])
        expect((await left<Unavailable, unknown>(open)).message).toMatch(
          /older version of Canopy: run this version's `canopy registry migrate`/,
        )
      for (const migrated of [migrationNames.slice(4), []]) {
        const writer = await opened(openExistingRegistryWriter(url))
        expect(writer.migrated).toEqual(migrated)
      }
      expect(await schemaOf(url)).toEqual(await schemaOf(await running().newRegistry()))
      const reader = await opened(openRegistryReader(url))
      expect(await right(reader.accounts.all)).toEqual([])
      expect(await right(reader.damage)).toEqual([])
    })
  })
}
