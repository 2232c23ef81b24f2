import { checkHttp, checkOverHttp, httpScenarios, scenarios, uprootDirectory, type World } from '@canopy/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { plantData } from './plantData.js'
import { type Server, startServer, temporaryData } from './startServer.js'

const onDisk = scenarios.filter(({ memoryOnly }) => memoryOnly !== true)
const worlds = [...new Set([...onDisk, ...httpScenarios].map(({ world }) => world))]

describe('the scenarios, asked over raw sockets of the built server over real files and SQLite', () => {
  const servers = new Map<World, Server>()
  const directories: Array<string> = []
  const portOf = (world: World): number => servers.get(world)?.port ?? 0

  beforeAll(async () => {
    for (const world of worlds) {
      const data = await temporaryData()
      directories.push(data)
      await plantData(data, world)
      servers.set(world, await startServer({ CANOPY_DATA: data }))
    }
  })
  afterAll(async () => {
    await Promise.all([...servers.values()].map(({ end }) => end()))
    await Promise.all(directories.map(uprootDirectory))
  })

  it.each(onDisk)('$name', async (scenario) => {
    expect(await checkOverHttp(portOf(scenario.world), scenario)).toEqual([])
  })

  it.each(httpScenarios)('$name', async (scenario) => {
    expect(await checkHttp(portOf(scenario.world), scenario)).toEqual([])
  })
})
