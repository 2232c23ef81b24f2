import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { Settings } from '@canopy/domain'
import * as O from 'fp-ts/lib/Option.js'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { copyRegistry } from '../../src/admin/copyRegistry.js'
import { migrateTo } from '../../src/admin/migrations.js'
import { openExistingRegistryWriter, openRegistryReader, openRegistryWriter } from '../../src/admin/RegistryWriter.js'
import { openRegistry } from '../../src/openRegistry.js'
import type { RegistryUrl } from '../../src/RegistryUrl.js'
import { migrationNames, migrationTable } from '../../src/Schema.js'
import type { Unavailable } from '../../src/Unavailable.js'
import { type Running, rawDatabase } from '../engines.js'
import { forThisTest, left, opened, right } from '../right.js'
import { accessToken, path, rule, token, triggerId, user } from '../values.js'

interface Definition {
  readonly name: string
  readonly sql: string | null
}

const definitions = {
  SQLite: sql`select name, sql from sqlite_master order by name`,
  PostgreSQL: sql`
    select indexname as name, indexdef as sql from pg_indexes where schemaname = 'public'
    union all
    select conrelid::regclass || '.' || conname, pg_get_constraintdef(oid) from pg_constraint where contype <> 't'
      and connamespace = 'public'::regnamespace
    union all
    select tgname, pg_get_triggerdef(oid) from pg_trigger where not tgisinternal
    union all
    select proname, pg_get_functiondef(oid) from pg_proc where pronamespace = 'public'::regnamespace
    order by 1`,
}

/** Tables, columns, indexes, constraints, triggers and functions, as the database defines them. */
const schemaOf = async (url: RegistryUrl) => {
  const raw = await rawDatabase(url)
  const tables = await raw.introspection.getTables()
  const { rows } = await sql<Definition>`${definitions[url.engine]}`.execute(raw)
  await raw.destroy()
  return { tables: tables.map(({ name, columns }) => ({ name, columns })), rows }
}

/**
 * Registries that the `canopy` command of a commit made: a SQLite file, and a dump by `pg_dump --inserts --no-owner
 * --no-privileges` of PostgreSQL 15. All hold the same account, settings and trigger, and their own tokens.
 */
const fixtures = [
  {
    commit: '11d3c82e',
    steps: 5,
    tokens: {
      SQLite: 'cnp_4e3Rf-VtI3lAdXLnFFH3DBxNPgB2tdb2OaXDnVqLCMg',
      PostgreSQL: 'cnp_oQ8ECJjhHnRrARF018E75hBklVrDyV_rYqTY8xs1MdI',
    },
  },
  {
    commit: 'de26949c',
    steps: 6,
    tokens: {
      SQLite: 'cnp_ssDDrvyf4bW9gQr94wTSsRBNCCL2foXUtH-B3XJmYxI',
      PostgreSQL: 'cnp_8elYEZOOEXsPizckb0sgCfqvddOuHdDRKPN3hRhWxbg',
    },
  },
] as const

/** Registries store these names, so a released one never changes. Without `_additive`, older servers refuse the result. */
const allSteps = [
  '0001_accounts',
  '0002_tokens',
  '0003_settings',
  '0004_triggers',
  '0005_settings_versions',
  '0006_areas',
  '0007_rules',
]

const fixture = (name: string): Promise<Buffer> => readFile(new URL(`../fixtures/${name}`, import.meta.url))

const restoredFixture = async ({ newUrl }: Running, commit: string): Promise<RegistryUrl> => {
  const url = await newUrl()
  if (url.engine === 'SQLite') {
    await mkdir(dirname(url.path), { recursive: true })
    await writeFile(url.path, gunzipSync(await fixture(`${commit}.sqlite.gz`)))
  } else {
    const raw = await rawDatabase(url)
    await sql.raw((await fixture(`${commit}.postgresql.sql`)).toString()).execute(raw)
    await raw.destroy()
  }
  return url
}

/** Kysely's migrator made a table for its lock. No newer version needs or removes it. */
const withoutLock = (schema: Awaited<ReturnType<typeof schemaOf>>) => ({
  tables: schema.tables.filter(({ name }) => name !== 'canopy_migration_lock'),
  rows: schema.rows.filter(({ name }) => !name.includes('canopy_migration_lock')),
})

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
  })

  describe.each(fixtures)('a registry made by commit $commit', ({ commit, steps, tokens }) => {
    it('is refused by readers, and migrated by a writer, which keeps its rows and takes new ones', async () => {
      const [url, fresh] = [await restoredFixture(running(), commit), await running().newRegistry()]
      for (const open of [openRegistry(url), openRegistryReader(url)])
        expect((await left<Unavailable, unknown>(open)).message).toMatch(
          /older version of Canopy: run this version's `canopy registry migrate`/,
        )
      const writer = await opened(openExistingRegistryWriter(url))
      expect(writer.migrated).toEqual(allSteps.slice(steps))
      expect((await opened(openExistingRegistryWriter(url))).migrated).toEqual([])
      expect(withoutLock(await schemaOf(url))).toEqual(await schemaOf(fresh))

      expect((await right(writer.accounts.all)).map(({ id, verified }) => [id, verified])).toEqual([
        [1n, true],
        [2n ** 64n - 1n, false],
      ])
      expect(await right((await opened(openRegistryReader(url))).damage)).toEqual([])
      const registry = await opened(openRegistry(url))
      expect(await right(registry.areaOfToken(accessToken(tokens[url.engine])))).toMatchObject({ scope: '/photos' })
      expect(await right(registry.triggerOf(triggerId('bell')))).toMatchObject({ type: 'bell' })
      const settings = { '/': 'public', '/photos': 'hidden', '/photos/\u00fc': 'private' } as const
      expect(await right(registry.settingsOf(user('1')))).toEqual(Settings.fromRecord(settings))
      await right(writer.settings.set(user('1'), path('/photos'), 'private'))
      await right(writer.rules.add(user('1'), [rule('.*')]))
      const changed = await right(registry.settingsOf(user('1')))
      expect(Settings.ownAt(changed, path('/photos'))).toEqual(O.some('private'))
      expect(Settings.rules(changed)).toEqual([rule('.*')])
    })

    it('is not copied without a migration, with a hint how to back it up as it is', async () => {
      const [source, target] = [await restoredFixture(running(), commit), await running().newUrl()]
      const refusal = await left(copyRegistry(source, target, { replace: false, onProgress: () => undefined }))
      const program = source.engine === 'SQLite' ? 'sqlite3 -readonly FILE ".backup COPY"' : 'pg_dump'
      expect(refusal).toMatchObject({
        reason: expect.stringMatching(/was created by an older version of Canopy$/),
        hint: expect.stringContaining(program),
      })
      expect((await left(openExistingRegistryWriter(target))).message).toMatch(/`canopy account create` to create one/)
    })
  })
}
