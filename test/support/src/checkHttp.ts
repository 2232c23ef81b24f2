import { differences, type HttpScenario, overHttp, request, type Scenario } from '@canopy/testkit'

/** Returns the differences between a scenario and a seeded service. */
export const checkHttp = async (port: number, scenario: HttpScenario): Promise<ReadonlyArray<string>> =>
  differences(scenario, await request(port, scenario.request)).map(
    ({ what, expected, got }) => `${what}: ${got}, not ${expected}`,
  )

export const checkOverHttp = (port: number, scenario: Scenario): Promise<ReadonlyArray<string>> =>
  checkHttp(port, overHttp(scenario))
