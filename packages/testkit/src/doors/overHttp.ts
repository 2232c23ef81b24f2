import type { Failure } from '@canopy/domain'
import { type Ask, target } from '../Ask.js'
import type { HttpAnswer, HttpScenario } from '../scenarios/HttpScenario.js'
import type { Scenario } from '../scenarios/Scenario.js'
import { type Difference, differences } from './differences.js'
import { request, type Service } from './rawHttp.js'

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

const answerOf = ({ ask, answer }: Scenario): HttpAnswer =>
  'error' in answer
    ? {
        status: statusOf[answer.error],
        body: JSON.stringify({ type: 'error', error: answer.error }),
        headers: [
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
          ['Content-Type', 'application/json; charset=utf-8'],
          ['Cache-Control', cacheControlOf(ask.operation)],
        ],
      }

/** A scenario as a question to a service over HTTP. */
export const overHttp = (scenario: Scenario): HttpScenario => ({
  name: scenario.name,
  world: scenario.world,
  request: { method: 'GET', target: target(scenario.ask) },
  answer: answerOf(scenario),
})

/** What a service must answer, with the headers that every answer has. */
export const wholeAnswer = ({ answer }: HttpScenario): HttpAnswer => ({
  ...answer,
  headers: [...inEveryAnswer, ...answer.headers],
})

const sentence = ({ what, expected, got }: Difference): string => `${what}: ${got}, not ${expected}`

/** Asks a scenario about HTTP of a service whose world is planted already; returns every difference. */
export const checkHttp = async (service: Service, scenario: HttpScenario): Promise<ReadonlyArray<string>> =>
  differences(wholeAnswer(scenario), await request(service, scenario.request)).map(sentence)

/** Asks a scenario of a service whose world is planted already; returns every difference. */
export const checkOverHttp = (service: Service, scenario: Scenario): Promise<ReadonlyArray<string>> =>
  checkHttp(service, overHttp(scenario))
