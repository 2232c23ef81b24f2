import { checkHttp, checkOverHttp, temporaryDirectory } from '@canopy/test-support'
import { httpScenarios, scenarios, type World } from '@canopy/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { registries } from './registries.js'
import { seedData, startServer } from './startServer.js'

const onDisk = scenarios.filter(({ memoryOnly }) => memoryOnly !== true)

// Over memory the conformance check of the harness asks them, to the byte.
describe.each(registries)('the built server over real files and $name, asked over raw sockets', ({ start }) => {
  const ports = new Map<World, number>()
  const undo: Array<() => Promise<unknown>> = []
  beforeAll(async () => {
    const { newDatabase, stop } = await start()
    undo.push(stop)
    for (const world of new Set([...onDisk, ...httpScenarios].map((each) => each.world))) {
      const data = temporaryDirectory((remove) => undo.push(remove))
      const url = await newDatabase(data)
      await seedData(data, world, url)
      const { port, end } = await startServer({ CANOPY_DATA: data, CANOPY_REGISTRY: url })
      undo.push(end)
      ports.set(world, port)
    }
  })
  afterAll(async () => {
    for (const step of undo.reverse()) await step()
  })
  const portOf = ({ world }: { readonly world: World }): number => ports.get(world) ?? 0

  it.each(onDisk)('$name', async (scenario) => {
    expect(await checkOverHttp(portOf(scenario), scenario)).toEqual([])
  })

  it.each(httpScenarios)('$name', async (scenario) => {
    expect(await checkHttp(portOf(scenario), scenario)).toEqual([])
  })
})
