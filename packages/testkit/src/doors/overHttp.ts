import type { Failure } from '@canopy/domain'
import { type Ask, target } from '../Ask.js'
import type { HttpAnswer, HttpScenario } from '../scenarios/HttpScenario.js'
import type { Scenario } from '../scenarios/Scenario.js'
import { headerOf, type RawResponse, request } from './rawHttp.js'

/** How HTTP says each failure (decision 27), written down apart from the server's own table. */
const statusOf: { readonly [Name in Failure.FailureName]: number } = {
  'invalid token': 401,
  'not verified': 403,
  'permission denied': 403,
  'file not found': 404,
  'type mismatch': 409,
  external: 502,
  'trigger not found': 404,
}

const cacheControlOf = (operation: Ask['operation']): string =>
  operation === 'triggerPeek'
    ? 'no-store'
    : operation === 'storageTree' || operation === 'storageDirItems'
      ? 'private, no-cache'
      : 'public, no-cache'

const inEveryAnswer: HttpAnswer['headers'] = [
  ['Referrer-Policy', 'no-referrer'],
  ['X-Content-Type-Options', 'nosniff'],
  ['X-Robots-Tag', 'noindex'],
  ['Access-Control-Allow-Origin', '*'],
]

const expectedOf = ({ ask, answer }: Scenario): HttpAnswer =>
  'error' in answer
    ? {
        status: statusOf[answer.error],
        body: JSON.stringify({ type: 'error', error: answer.error }),
        headers: [
          ...inEveryAnswer,
          ['Content-Type', 'application/json; charset=utf-8'],
          ['Cache-Control', 'no-store'],
          ['ETag', undefined],
          ['WWW-Authenticate', answer.error === 'invalid token' ? 'PathToken' : undefined],
        ],
      }
    : {
        status: 200,
        body: answer.body,
        headers: [
          ...inEveryAnswer,
          ['Content-Type', 'application/json; charset=utf-8'],
          ['Cache-Control', cacheControlOf(ask.operation)],
        ],
      }

const differences = (expected: HttpAnswer, response: RawResponse): ReadonlyArray<string> => [
  ...(response.status === expected.status ? [] : [`status ${response.status}, not ${expected.status}`]),
  ...(response.complete ? [] : ['the body is cut off']),
  ...(response.body.toString() === expected.body ? [] : [`body ${response.body.toString()}, not ${expected.body}`]),
  ...expected.headers
    .filter(([name, value]) => headerOf(response, name) !== value)
    .map(([name, value]) => `${name}: ${headerOf(response, name)}, not ${value}`),
]

/** Asks a scenario about HTTP of the service on this port, whose world is planted already; returns every difference. */
export const checkHttp = async (port: number, scenario: HttpScenario): Promise<ReadonlyArray<string>> =>
  differences(
    { ...scenario.answer, headers: [...inEveryAnswer, ...scenario.answer.headers] },
    await request(port, scenario.request),
  )

/** Asks a scenario of the service on this port, whose world is planted already; returns every difference. */
export const checkOverHttp = async (port: number, scenario: Scenario): Promise<ReadonlyArray<string>> =>
  differences(expectedOf(scenario), await request(port, { method: 'GET', target: target(scenario.ask) }))
