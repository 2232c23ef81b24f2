import { checkHttp, checkOverHttp } from '@canopy/test-support'
import { httpScenarios, removeDirectory, scenarios, type World } from '@canopy/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { plantData } from './plantData.js'
import { registries } from './registries.js'
import { type Server, startServer, temporaryData } from './startServer.js'

const onDisk = scenarios.filter(({ memoryOnly }) => memoryOnly !== true)
const worlds = [...new Set([...onDisk, ...httpScenarios].map(({ world }) => world))]

describe.each(registries)(
  'the scenarios, asked over raw sockets of the built server over real files and $name',
  ({ start }) => {
    const servers = new Map<World, Server>()
    const undo: Array<() => Promise<unknown>> = []
    const portOf = (world: World): number => servers.get(world)?.port ?? 0

    beforeAll(async () => {
      const registry = await start()
      undo.push(registry.stop)
      for (const world of worlds) {
        const data = await temporaryData()
        undo.push(() => removeDirectory(data))
        const url = await registry.newUrl(data)
        await plantData(data, world, url)
        const server = await startServer({ CANOPY_DATA: data, CANOPY_REGISTRY: url })
        undo.push(() => server.end())
        servers.set(world, server)
      }
    })
    afterAll(async () => {
      for (const step of [...undo].reverse()) await step()
    })

    it.each(onDisk)('$name', async (scenario) => {
      expect(await checkOverHttp(portOf(scenario.world), scenario)).toEqual([])
    })

    it.each(httpScenarios)('$name', async (scenario) => {
      expect(await checkHttp(portOf(scenario.world), scenario)).toEqual([])
    })
  },
)
