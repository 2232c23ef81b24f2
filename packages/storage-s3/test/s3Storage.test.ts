import { Area, type UserId } from '@canopy/domain'
import { runs, seededAreas, storesToTest } from '@canopy/test-support'
import { coreBackend, memoryRegistry, modelAgreement, type SeedStorage, storageLaws } from '@canopy/testkit'
import * as O from 'fp-ts/lib/Option.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { s3Storage } from '../src/s3Storage.js'

/** Some laws put thousands of objects, one request each: `npm test` leaves them out. */
const longMs = 300_000
const putsMany = /however many entries it has|answer as one does/
const laws = storageLaws.filter(({ name }) => process.env['CANOPY_TEST'] !== 'everyday' || !putsMany.test(name))

const areaOf = (owner: bigint): Area.Area => ({
  owner: owner as UserId.UserId,
  location: Area.location(`${owner}`),
})

const stores = storesToTest(process.env, 'Storage in an object store')

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

  const seedStorage: SeedStorage = async (nodes, others) => ({
    ...(await seed([
      ['1', nodes],
      ['2', others],
    ])),
    area: areaOf(1n),
    other: areaOf(2n),
  })

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
