import { Failure } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { coreBackend } from '../../src/backends/Backend.js'
import { httpBackend } from '../../src/backends/overHttp.js'
import { accessLaws } from '../../src/laws/accessLaws.js'
import { settingsLaws, triggersLaws } from '../../src/laws/registryLaws.js'
import { storageLaws } from '../../src/laws/storageLaws.js'
import { modelAgreement } from '../../src/modelAgreement.js'
import { SeedingFailed } from '../../src/seed.js'

const full = new Error('ENOSPC')

/** Each way in which a function that seeds may fail, with what is said of it. The types forbid some of them. */
const failing: Readonly<Record<string, readonly [seed: () => Promise<never>, said: string, cause: unknown]>> = {
  rejects: [() => Promise.reject(full), 'ENOSPC', full],
  throws: [
    () => {
      throw full
    },
    'ENOSPC',
    full,
  ],
  'gives a left': [
    async () => E.left(Failure.external('down')) as never,
    "{ error: 'external', cause: 'down' }",
    Failure.external('down'),
  ],
  'gives nothing': [async () => undefined as never, 'it gave undefined, which cannot be closed', expect.anything()],
}

const thrownBy = async (ask: () => Promise<unknown>): Promise<unknown> => {
  try {
    return `no failure, but ${String(await ask())}`
  } catch (thrown) {
    return thrown
  }
}

describe.each(Object.entries(failing))('where seeding %s', (_, [seed, said, cause]) => {
  it('each law says so by its name, and reports no violation', async () => {
    const laws = [
      ...storageLaws.map(({ name, violations }) => ({ name, look: () => violations(seed) })),
      ...[...accessLaws, ...settingsLaws, ...triggersLaws].map(({ name, violations }) => ({
        name,
        look: () => violations(seed),
      })),
    ]
    for (const { name, look } of laws) {
      const thrown = await thrownBy(look)
      expect(thrown).toBeInstanceOf(SeedingFailed)
      expect(thrown).toMatchObject({
        name: 'SeedingFailed',
        message: `seeding failed for the law "${name}": ${said}`,
        cause,
      })
    }
  })

  it('a backend says so', async () => {
    const world = { accounts: [], triggers: [] }
    for (const backend of [coreBackend('mine', true, seed), httpBackend('mine', true, seed)])
      expect(await thrownBy(() => backend.open(world))).toEqual(
        expect.objectContaining({ name: 'SeedingFailed', message: `seeding failed for a world of mine: ${said}` }),
      )
  })

  it('so do generated worlds, which disagree with nothing', async () => {
    const backend = coreBackend('mine', true, seed)
    const thrown = await thrownBy(() => modelAgreement(backend, { requests: 10, seed: 1, asksPerWorld: 2 }))
    expect(thrown).toEqual(expect.objectContaining({ message: `seeding failed for a world of mine: ${said}` }))
  })
})
