import { Area, type UserId } from '@canopy/domain'
import { runs, seededAreas, storesToTest } from '@canopy/test-support'
import { coreBackend, jsonText, memoryRegistry, modelAgreement, type SeedStorage, storageLaws } from '@canopy/testkit'
import * as O from 'fp-ts/lib/Option.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { s3Storage } from '../src/s3Storage.js'

const longMs = 300_000
const isEveryday = process.env['CANOPY_TEST'] === 'everyday'

const areaOf = (owner: bigint): Area.Area => ({
  owner: owner as UserId.UserId,
  location: Area.location(`${owner}`),
})

const stores = storesToTest(process.env, 'Storage in an object store')

/** Laws that put thousands of objects take long. `npm test` checks two of them over one store, and leaves out the others. */
const isLeftOut = (store: string, law: string): boolean =>
  /however many entries it has|answer as one does/.test(law) ||
  (store !== stores[0]?.name && /^pages join|^a cancelled listing/.test(law))

describe.each(stores)('storage in an object store, over $name', ({ name, start }) => {
  let seed: Awaited<ReturnType<typeof seededAreas>>
  let stop = async (): Promise<void> => undefined
  beforeAll(async () => {
    const store = await start()
    stop = store.stop
    Object.assign(process.env, store.variables)
    seed = await seededAreas(store, s3Storage)
  })
  afterAll(() => stop())

  const seeded = new Map<string, ReturnType<typeof seed>>()
  afterAll(async () => {
    for (const { close } of await Promise.all(seeded.values())) await close()
  })

  /** Puts equal areas once: no law changes them. */
  const seedStorage: SeedStorage = async (nodes, others) => {
    const key = jsonText([nodes, others])
    const areas =
      seeded.get(key) ??
      seed([
        ['1', nodes],
        ['2', others],
      ])
    seeded.set(key, areas)
    const close = async () => undefined
    return { ...(await areas), area: areaOf(1n), other: areaOf(2n), close }
  }
  const laws = storageLaws.filter((law) => !isEveryday || !isLeftOut(name, law.name))

  it.each(laws)('$name', { timeout: longMs }, async ({ violations }) => {
    expect(await violations(seedStorage)).toEqual([])
  })

  it('answers requests for generated worlds as the reference model does', { timeout: longMs }, async () => {
    const backend = coreBackend(name, true, async (world) => {
      const { ports, close } = await seed(world.accounts.map(({ id, area }) => [id, area]))
      return { ports: { ...memoryRegistry(world), ...ports }, close }
    })
    const { disagreement, answers } = await modelAgreement(backend, { requests: runs(500), seed: 1, asksPerWorld: 20 })
    expect(disagreement).toEqual(O.none)
    expect(Object.keys(answers)).toContain('tree')
  })
})
