import { Settings } from '@canopy/domain'
import { accessLaws, type SeedRegistry, seedRegistry, settingsLaws, triggersLaws } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openRegistryWriter } from '../src/admin/RegistryWriter.js'
import { openRegistry } from '../src/openRegistry.js'
import { addRowsElsewhere } from './addRowsElsewhere.js'
import { engines, type Running } from './engines.js'
import { opened, right } from './right.js'
import { registriesAreCopied } from './suites/copying.js'
import { poolersServe } from './suites/poolers.js'
import { failoverIsFollowed, postgresqlIsRead } from './suites/postgresql.js'
import { serversRead } from './suites/reading.js'
import { settingsHaveVersions } from './suites/settingsVersions.js'
import { schemasHaveVersions } from './suites/versions.js'
import { operatorsWrite } from './suites/writing.js'

// One file for all that needs PostgreSQL, so that it is started once.
describe.each(engines)('a registry in $name', ({ name, start }) => {
  const started: { engine?: Running } = {}
  const running = (): Running => {
    if (started.engine === undefined) throw new Error('the engine is not running')
    return started.engine
  }
  beforeAll(async () => {
    started.engine = await start()
  })
  afterAll(async () => {
    await started.engine?.stop()
  })

  // First: a standby begins with a copy of every database.
  if (name === 'PostgreSQL') failoverIsFollowed(running)

  const seeded: SeedRegistry = async (world) => {
    const url = await running().newRegistry()
    const writer = await right(openRegistryWriter(url))
    await right(seedRegistry(writer)(world))
    await writer.close()
    const registry = await right(openRegistry(url))
    return { ports: registry, close: registry.close }
  }

  it.each([...accessLaws, ...settingsLaws, ...triggersLaws])('keeps the law: $name', async ({ violations }) => {
    expect(await violations(seeded)).toEqual([])
  })

  serversRead(running)
  operatorsWrite(running)

  it('concurrent commands create a registry once and lose nothing', async () => {
    const url = await running().newUrl()
    await Promise.all([100, 200, 300, 400].map((first) => addRowsElsewhere(url, first, 10)))
    const expected = [100, 200, 300, 400].flatMap((first) => Array.from({ length: 10 }, (_, n) => `${first + n}`))
    const writer = await opened(openRegistryWriter(url))
    const accounts = await right(writer.accounts.all)
    expect(accounts.map(({ id, name }) => [`${id}`, name])).toEqual(expected.map((id) => [id, O.some(id)]))
    expect(await right(writer.triggers.all)).toMatchObject(expected.map((id) => E.right({ id })))
    for (const { id } of accounts) {
      expect(await right(writer.tokens.of(id))).toHaveLength(1)
      expect(Settings.size(await right(writer.settings.of(id)))).toBe(1)
    }
  })

  registriesAreCopied(running)
  schemasHaveVersions(running)
  settingsHaveVersions(name, running)
  if (name === 'PostgreSQL') {
    postgresqlIsRead(running)
    poolersServe(running)
  }
})
