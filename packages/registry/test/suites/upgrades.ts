import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { Rules, Settings } from '@canopy/domain'
import * as O from 'fp-ts/lib/Option.js'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { copyRegistry } from '../../src/admin/copyRegistry.js'
import { openExistingRegistryWriter } from '../../src/admin/RegistryWriter.js'
import { openRegistry } from '../../src/openRegistry.js'
import type { RegistryUrl } from '../../src/RegistryUrl.js'
import type { Running } from '../engines.js'
import { rawDatabase } from '../rawDatabase.js'
import { left, opened, right } from '../right.js'
import { schemaOf } from '../schemaOf.js'
import { accessToken, path, rule, triggerId, user } from '../values.js'

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

export const registriesAreUpgraded = (running: () => Running): void => {
  describe.each(fixtures)('a registry made by commit $commit', ({ commit, steps, tokens }) => {
    it('is migrated to the schema of a new registry, keeps its rows and takes new ones', async () => {
      const [url, fresh] = [await restoredFixture(running(), commit), await running().newRegistry()]
      const writer = await opened(openExistingRegistryWriter(url))
      expect(writer.migrated).toEqual(allSteps.slice(steps))
      expect(withoutLock(await schemaOf(url))).toEqual(await schemaOf(fresh))

      expect((await right(writer.accounts.all)).map(({ id, verified }) => [id, verified])).toEqual([
        [1n, true],
        [2n ** 64n - 1n, false],
      ])
      const registry = await opened(openRegistry(url))
      expect(await right(registry.areaOfToken(accessToken(tokens[url.engine])))).toMatchObject({ scope: '/photos' })
      expect(await right(registry.triggerOf(triggerId('bell')))).toMatchObject({ type: 'bell' })
      const settings = { '/': 'public', '/photos': 'hidden', '/photos/\u00fc': 'private' } as const
      expect(await right(registry.settingsOf(user('1')))).toEqual(Settings.fromRecord(settings))
      await right(writer.settings.set(user('1'), path('/photos'), 'private'))
      await right(writer.rules.add(user('1'), [rule('.*')]))
      const changed = await right(registry.settingsOf(user('1')))
      expect(Settings.ownAt(changed, path('/photos'))).toEqual(O.some('private'))
      expect(Rules.toRules(Settings.rules(changed))).toEqual([rule('.*')])
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
