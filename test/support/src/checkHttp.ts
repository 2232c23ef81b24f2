import { differences, type HttpScenario, overHttp, request, type Scenario } from '@canopy/testkit'

/** Asks a scenario about HTTP of a service on this port whose world is seeded already; returns every difference. */
export const checkHttp = async (port: number, scenario: HttpScenario): Promise<ReadonlyArray<string>> =>
  differences(scenario, await request(port, scenario.request)).map(
    ({ what, expected, got }) => `${what}: ${got}, not ${expected}`,
  )

/** The same of a scenario about an operation. */
export const checkOverHttp = (port: number, scenario: Scenario): Promise<ReadonlyArray<string>> =>
  checkHttp(port, overHttp(scenario))
