import {
  type BaseUrl,
  differences,
  type HttpScenario,
  overHttp,
  request,
  type Scenario,
  wholeAnswer,
} from '@canopy/testkit'

type Service = BaseUrl | number

/** Asks a scenario about HTTP of a service whose world is seeded already; returns every difference. */
export const checkHttp = async (service: Service, scenario: HttpScenario): Promise<ReadonlyArray<string>> =>
  differences(wholeAnswer(scenario), await request(service, scenario.request)).map(
    ({ what, expected, got }) => `${what}: ${got}, not ${expected}`,
  )

/** The same of a scenario about an operation. */
export const checkOverHttp = (service: Service, scenario: Scenario): Promise<ReadonlyArray<string>> =>
  checkHttp(service, overHttp(scenario))
