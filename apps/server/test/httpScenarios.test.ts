import { checkHttp } from '@canopy/test-support'
import { httpScenarios, memoryPorts } from '@canopy/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RunningServer } from '../src/http/listen.js'
import { startApp } from './startApp.js'

describe('the scenarios of HTTP', () => {
  let service: RunningServer

  beforeAll(async () => {
    const [first] = httpScenarios
    service = await startApp(memoryPorts(first?.world ?? { accounts: [], triggers: [] }))
  })
  afterAll(() => service.stop())

  it.each(httpScenarios)('$name', async (scenario) => {
    expect(await checkHttp(service.port, scenario)).toEqual([])
  })
})
