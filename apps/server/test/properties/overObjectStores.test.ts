import { s3Storage } from '@canopy/storage-s3'
import {
  nonInterference,
  runs,
  type SwappedBackend,
  seededAreas,
  storesToTest,
  swappedBackend,
} from '@canopy/test-support'
import { httpBackend, memoryPorts, memoryRegistry, modelAgreement, type Ports, type World } from '@canopy/testkit'
import * as O from 'fp-ts/lib/Option.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startApp } from '../startApp.js'

/** Each node of each world is put by a request. */
const longMs = 300_000

const stores = storesToTest(process.env, 'The service over an object store')

describe.each(stores)('the service over $name', ({ name, start }) => {
  let swapped: SwappedBackend
  let seedWorld: (world: World) => Promise<() => Promise<void>>
  const stops: Array<() => Promise<void>> = []

  beforeAll(async () => {
    const store = await start()
    stops.push(store.stop)
    Object.assign(process.env, store.variables)
    const seed = await seededAreas(store, s3Storage)
    const portsOf = new Map<World, Ports>()
    swapped = await swappedBackend(name, startApp, (world) => portsOf.get(world) ?? memoryPorts(world))
    stops.unshift(swapped.close)
    seedWorld = async (world) => {
      const { ports, close } = await seed(world.accounts.map(({ id, area }) => [id, area]))
      portsOf.set(world, { ...memoryRegistry(world), ...ports })
      return close
    }
  })
  afterAll(async () => {
    for (const stop of stops) await stop()
  })

  it('answers visitors of worlds that differ only in what they may not see alike', { timeout: longMs }, async () => {
    const pairs = runs(60)
    const open: SwappedBackend['backend']['open'] = async (world) => {
      const close = await seedWorld(world)
      return { ...(await swapped.backend.open(world)), close }
    }
    const report = await nonInterference({ name, open }, { pairs, seed: 1 })
    expect(report).toMatchObject({ pairs, interference: O.none })
    expect(report.differing).toBeGreaterThan(0.6 * pairs)
    expect(Object.keys(report.answers)).toContain('tree')
  })

  it('answers as the reference model says', { timeout: longMs }, async () => {
    const backend = httpBackend(name, true, async (world) => {
      const close = await seedWorld(world)
      swapped.swap(world)
      return { port: swapped.port, close }
    })
    const { disagreement, answers } = await modelAgreement(backend, { requests: runs(500), seed: 2, asksPerWorld: 20 })
    expect(disagreement).toEqual(O.none)
    expect(Object.keys(answers)).toContain('tree')
  })
})
