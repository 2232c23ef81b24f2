import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { Rules, Settings } from '@canopy/domain'
import * as O from 'fp-ts/lib/Option.js'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { copyRegistry } from '../../src/admin/copyRegistry.js'
import { openExistingRegistryWriter, openRegistryWriter } from '../../src/admin/RegistryWriter.js'
import { openRegistry } from '../../src/openRegistry.js'
import type { RegistryUrl } from '../../src/RegistryUrl.js'
import { migrationNames, migrationTable } from '../../src/Schema.js'
import type { Running } from '../engines.js'
import { rawDatabase } from '../rawDatabase.js'
import { forThisTest, left, opened, right } from '../right.js'
import { schemaOf } from '../schemaOf.js'
import { accessToken, path, rule, triggerId, user } from '../values.js'

/**
 * Registries that the `canopy` command of a commit made: a SQLite file, and a dump by `pg_dump --inserts --no-owner
 * --no-privileges` of PostgreSQL 15. All hold the same account, settings and trigger, and their own tokens.
 */
const fixtures = [
  {
    commit: '11d3c82e',
    steps: ['0001_accounts', '0002_tokens', '0003_settings', '0004_triggers', '0005_settings_versions'],
    tokens: {
      SQLite: 'cnp_4e3Rf-VtI3lAdXLnFFH3DBxNPgB2tdb2OaXDnVqLCMg',
      PostgreSQL: 'cnp_oQ8ECJjhHnRrARF018E75hBklVrDyV_rYqTY8xs1MdI',
    },
  },
  {
    commit: 'de26949c',
    steps: ['0001_accounts', '0002_tokens', '0003_settings', '0004_triggers', '0005_settings_versions', '0006_areas'],
    tokens: {
      SQLite: 'cnp_ssDDrvyf4bW9gQr94wTSsRBNCCL2foXUtH-B3XJmYxI',
      PostgreSQL: 'cnp_8elYEZOOEXsPizckb0sgCfqvddOuHdDRKPN3hRhWxbg',
    },
  },
] as const

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

export const registriesAreUpgraded = (running: () => Running): void => {
  describe.each(fixtures)('a registry made by commit $commit', ({ commit, steps, tokens }) => {
    const restored = () => restoredFixture(running(), commit)

    it('is migrated to the schema of a new registry', async () => {
      const [url, fresh] = [await restored(), await running().newUrl()]
      const writer = await right(openExistingRegistryWriter(url))
      expect(writer.migrated).toEqual(migrationNames.slice(steps.length))
      expect(migrationNames.slice(0, steps.length)).toEqual(steps)
      await writer.close()
      await (await right(openRegistryWriter(fresh))).close()
      expect(withoutLock(await schemaOf(url))).toEqual(await schemaOf(fresh))
    })

    it('keeps its rows through a migration, and shows servers later changes', async () => {
      const url = await restored()
      const writer = await opened(openExistingRegistryWriter(url))
      expect((await right(writer.accounts.all)).map(({ id, verified }) => [id, verified])).toEqual([
        [1n, true],
        [2n ** 64n - 1n, false],
      ])
      const registry = await opened(openRegistry(url))
      expect(await right(registry.areaOfToken(accessToken(tokens[url.engine])))).toMatchObject({ scope: '/photos' })
      const settings = await right(registry.settingsOf(user('1')))
      expect(O.toUndefined(Settings.ownAt(settings, path('/photos/ü')))).toBe('private')
      await right(writer.settings.set(user('1'), path('/photos'), 'private'))
      expect(O.toUndefined(Settings.ownAt(await right(registry.settingsOf(user('1'))), path('/photos')))).toBe(
        'private',
      )
      expect(await right(registry.triggerOf(triggerId('bell')))).toMatchObject({ type: 'bell' })
    })

    it('takes rules after the migration, and refuses servers that do not know rules', async () => {
      const url = await restored()
      const writer = await opened(openExistingRegistryWriter(url))
      const registry = await opened(openRegistry(url))
      expect(Rules.toRules(Settings.rules(await right(registry.settingsOf(user('1')))))).toEqual([])
      await right(writer.rules.add(user('1'), [rule('.*')]))
      expect(Rules.toRules(Settings.rules(await right(registry.settingsOf(user('1')))))).toEqual([rule('.*')])
      // An older server accepts unknown migrations only if their names end in `_additive`.
      const raw = forThisTest(await rawDatabase(url))
      const applied = await raw.selectFrom(migrationTable).select('name').execute()
      expect(applied.map(({ name }) => name).filter((name) => name.startsWith('0007'))).toEqual(['0007_rules'])
    })
  })

  const older = fixtures.filter(({ steps }) => steps.length < migrationNames.length)
  describe.each(older)('an unmigrated registry made by commit $commit', ({ commit }) => {
    const restored = () => restoredFixture(running(), commit)

    it('is not copied, with a hint how to back it up as it is', async () => {
      const [source, target] = [await restored(), await running().newUrl()]
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
