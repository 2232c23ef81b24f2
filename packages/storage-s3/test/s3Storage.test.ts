import { runs, storesToTest } from '@canopy/test-support'
import { coreBackend, modelAgreement, storageLaws } from '@canopy/testkit'
import * as O from 'fp-ts/lib/Option.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type SeededAreas, seededAreas } from './seededAreas.js'

/** Some laws put thousands of objects, one request each. */
const longMs = 300_000

const stores = storesToTest(process.env, 'Storage in an object store')

describe.each(stores)('storage in an object store, over $name', ({ name, start }) => {
  let areas: SeededAreas
  let stop = async (): Promise<void> => undefined
  beforeAll(async () => {
    const store = await start()
    stop = store.stop
    Object.assign(process.env, store.variables)
    areas = await seededAreas(store)
  })
  afterAll(() => stop())

  it.each(storageLaws)('$name', { timeout: longMs }, async ({ violations }) => {
    expect(await violations(areas.seedStorage)).toEqual([])
  })

  it('is asked about generated worlds and answers as the reference model says', { timeout: longMs }, async () => {
    const backend = coreBackend(name, true, areas.seedWorld)
    const { disagreement, answers } = await modelAgreement(backend, { requests: runs(500), seed: 1, asksPerWorld: 20 })
    expect(disagreement).toEqual(O.none)
    expect(Object.keys(answers)).toContain('tree')
  })
})
