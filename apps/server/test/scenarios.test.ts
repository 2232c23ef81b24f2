import { checkHttp, checkOverHttp } from '@canopy/test-support'
import {
  deadEntryScenarios,
  faultScenarios,
  httpScenarios,
  memoryPorts,
  removeDirectory,
  scenarios,
  type World,
} from '@canopy/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { plantData } from './plantData.js'
import { registries } from './registries.js'
import { startApp } from './startApp.js'
import { startServer, temporaryData } from './startServer.js'

type Undo = () => Promise<unknown>
type Serve = (world: World, undo: Array<Undo>) => Promise<number>

const overMemory: Serve = async (world, undo) => {
  const { port, stop } = await startApp(memoryPorts(world))
  undo.push(stop)
  return port
}

const overFiles =
  (newUrl: (data: string) => Promise<string>): Serve =>
  async (world, undo) => {
    const data = await temporaryData()
    undo.push(() => removeDirectory(data))
    const url = await newUrl(data)
    await plantData(data, world, url)
    const { port, end } = await startServer({ CANOPY_DATA: data, CANOPY_REGISTRY: url })
    undo.push(end)
    return port
  }

const onDisk = scenarios.filter(({ memoryOnly }) => memoryOnly !== true)

const services = [
  {
    name: 'the service over memory',
    asked: [...scenarios, ...faultScenarios, ...deadEntryScenarios],
    start: async () => ({ serve: overMemory, stop: async () => undefined }),
  },
  ...registries.map(({ name, start }) => ({
    name: `the built server over real files and ${name}`,
    asked: onDisk,
    start: async () => {
      const { newUrl, stop } = await start()
      return { serve: overFiles(newUrl), stop }
    },
  })),
]

describe.each(services)('the scenarios, asked over raw sockets of $name', ({ asked, start }) => {
  const ports = new Map<World, number>()
  const undo: Array<Undo> = []
  beforeAll(async () => {
    const { serve, stop } = await start()
    undo.push(stop)
    for (const world of new Set([...asked, ...httpScenarios].map((each) => each.world)))
      ports.set(world, await serve(world, undo))
  })
  afterAll(async () => {
    for (const step of undo.reverse()) await step()
  })
  const portOf = ({ world }: { readonly world: World }): number => ports.get(world) ?? 0

  it.each(asked)('$name', async (scenario) => {
    expect(await checkOverHttp(portOf(scenario), scenario)).toEqual([])
  })

  it.each(httpScenarios)('$name', async (scenario) => {
    expect(await checkHttp(portOf(scenario), scenario)).toEqual([])
  })
})
