import { checkOverHttp } from '@canopy/test-support'
import { deadEntryScenarios, faultScenarios, memoryPorts, scenarios, type World } from '@canopy/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RunningServer } from '../src/http/listen.js'
import { startApp } from './startApp.js'

const all = [...scenarios, ...faultScenarios, ...deadEntryScenarios]
const worlds = [...new Set(all.map(({ world }) => world))]

describe('the scenarios, asked over HTTP of the service over memory', () => {
  const services = new Map<World, RunningServer>()

  beforeAll(async () => {
    for (const world of worlds) services.set(world, await startApp(memoryPorts(world)))
  })
  afterAll(async () => {
    await Promise.all([...services.values()].map(({ stop }) => stop()))
  })

  it.each(all)('$name', async (scenario) => {
    expect(await checkOverHttp(services.get(scenario.world)?.port ?? 0, scenario)).toEqual([])
  })
})
