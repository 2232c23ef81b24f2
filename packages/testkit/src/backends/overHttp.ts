import type { Failure } from '@canopy/domain'
import { type Ask, target } from '../Ask.js'
import type { Answer, HttpAnswer, HttpScenario, Scenario } from '../scenarios/Scenario.js'
import { seeding } from '../seed/seeding.js'
import type { World } from '../World.js'
import type { Backend } from './Backend.js'
import { type RawResponse, request } from './rawHttp.js'

/** How HTTP says each failure, written down apart from the server's own table. */
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

const answerIn = ({ status, body, complete }: RawResponse): Answer => {
  const text = body.toString()
  if (!complete) return { body: `cut off: ${text}` }
  if (status === 200) return { body: text }
  const { error } = JSON.parse(text) as { readonly error: Failure.FailureName }
  return { error }
}

/** A service on a port of this machine, over raw sockets. */
export const httpBackend = (
  name: string,
  holdsEveryU64: boolean,
  serve: (world: World) => Promise<{ readonly port: number; readonly close: () => Promise<void> }>,
): Backend => ({
  name,
  holdsEveryU64,
  open: async (world) => {
    const { port, close } = await seeding(`a world of ${name}`, () => serve(world))
    return { ask: async (ask) => answerIn(await request(port, { method: 'GET', target: target(ask) })), close }
  },
})
