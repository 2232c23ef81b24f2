import type { Failure } from '@canopy/domain'
import { isLosslessNumber, parse } from 'lossless-json'
import {
  type Answer,
  type Ask,
  type HttpAnswer,
  type HttpScenario,
  isLines,
  requestOf,
  type Scenario,
} from '../scenarios/Scenario.js'
import { seeding } from '../seed.js'
import type { World } from '../World.js'
import type { Backend } from './Backend.js'
import { headerOf, type RawResponse, request } from './rawHttp.js'

/** A second table of statuses, independent of that of the server. */
const statusOf: { readonly [Name in Failure.FailureName]: number } = {
  'invalid token': 401,
  'not verified': 403,
  'permission denied': 403,
  'file not found': 404,
  'type mismatch': 409,
  external: 502,
  'trigger not found': 404,
}

const cacheControlOf: { readonly [Operation in Ask['operation']]: string } = {
  storageTree: 'private, no-cache',
  storageDirItems: 'private, no-cache',
  userContentTree: 'public, no-cache',
  userContentDirItems: 'public, no-cache',
  triggerPeek: 'no-store',
}

const inEveryAnswer: HttpAnswer['headers'] = [
  ['Referrer-Policy', 'no-referrer'],
  ['X-Content-Type-Options', 'nosniff'],
  ['X-Robots-Tag', 'noindex'],
  ['Access-Control-Allow-Origin', '*'],
]

const json = ['Content-Type', 'application/json; charset=utf-8'] as const
const ndjson = ['Content-Type', 'application/x-ndjson'] as const

const answerOf = ({ ask, answer }: Scenario): HttpAnswer => {
  if ('body' in answer)
    return {
      status: 200,
      ...answer,
      headers: [isLines(ask) ? ndjson : json, ['Cache-Control', cacheControlOf[ask.operation]]],
    }
  const { error } = answer
  const challenge = error === 'invalid token' ? 'PathToken' : undefined
  return {
    status: statusOf[error],
    body: JSON.stringify({ type: 'error', error }),
    headers: [json, ['Cache-Control', 'no-store'], ['ETag', undefined], ['WWW-Authenticate', challenge]],
  }
}

/** Turns a scenario into one over HTTP. */
export const overHttp = (scenario: Scenario): HttpScenario => ({
  name: scenario.name,
  world: scenario.world,
  request: requestOf(scenario.ask),
  answer: answerOf(scenario),
})

const answerIn = ({ status, body, complete }: RawResponse): Answer => {
  const text = body.toString()
  if (!complete) return { body: `cut off: ${text}` }
  if (status === 200) return { body: text }
  const { error } = JSON.parse(text) as { readonly error: Failure.FailureName }
  return { error }
}

/** Creates the backend of a service on a port of this machine, over raw sockets. */
export const httpBackend = (
  name: string,
  holdsEveryU64: boolean,
  serve: (world: World) => Promise<{ readonly port: number; readonly close: () => Promise<void> }>,
): Backend => ({
  name,
  holdsEveryU64,
  open: async (world) => {
    const { port, close } = await seeding(`a world of ${name}`, () => serve(world))
    return { ask: async (ask) => answerIn(await request(port, requestOf(ask))), close }
  },
})

/** JSON with sorted fields and exact digits. */
const canonicalJson = (value: unknown): string => {
  if (isLosslessNumber(value)) return value.value
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join()}]`
  const fields = Object.entries(value).map(([name, field]) => `${JSON.stringify(name)}:${canonicalJson(field)}`)
  return `{${fields.sort().join()}}`
}

/** Equal for two spellings of the same JSON. Other text is returned as it is. */
const jsonMeaning = (text: string): string => {
  try {
    return canonicalJson(parse(text))
  } catch {
    return text
  }
}

/** Normalizes a list that may be in any order. */
const words = (value: string): string =>
  value
    .trim()
    .split(/\s*,\s*/)
    .sort()
    .join(', ')

/** Compares links by relation and sorted query. The path is that of the request. */
const link = (value: string): string => {
  const [, to = '', relation = ''] = /^<([^>]*)>\s*;\s*rel="?([^"]*)"?$/i.exec(value) ?? []
  const query = new URLSearchParams(to.includes('?') ? to.slice(to.indexOf('?')) : '')
  query.sort()
  return `?${query.toString()} ${relation.toLowerCase()}`
}

const mediaType = (value: string): string => (value.split(';')[0] ?? '').trim().toLowerCase()

const anyCase = (value: string): string => words(value.toLowerCase())

const meanings: Readonly<Record<string, (value: string) => string>> = {
  'content-type': mediaType,
  'cache-control': anyCase,
  vary: anyCase,
  'www-authenticate': anyCase,
  'referrer-policy': anyCase,
  'x-content-type-options': anyCase,
  'x-robots-tag': anyCase,
  'access-control-allow-headers': anyCase,
  allow: words,
  'access-control-allow-methods': words,
  link,
}

/** Returns text that is equal for two spellings of the same header. */
const headerMeaning = (name: string, value: string): string => meanings[name.toLowerCase()]?.(value) ?? value

/** `exact` compares bytes as Canopy writes them, `semantic` the meaning in JSON and HTTP. */
export type Comparison = 'exact' | 'semantic'

interface Difference {
  /** `status`, `body`, or the name of a header. */
  readonly what: string
  readonly expected: string
  readonly got: string
}

const absent = '(absent)'
const cutOff = 'cut off, or not of the length that was reported'

/** Returns all differences from the expected answer and from the headers of every answer. */
export const differences = (
  { answer: expected }: Pick<HttpScenario, 'answer'>,
  response: RawResponse,
  comparison: Comparison = 'exact',
): ReadonlyArray<Difference> => {
  const compared = (what: string, one: string, got: string, meaning = (text: string) => text) =>
    one === got || (comparison === 'semantic' && meaning(one) === meaning(got)) ? [] : [{ what, expected: one, got }]
  return [
    ...compared('status', `${expected.status}`, `${response.status}`),
    ...compared('body', expected.body, response.body.toString(), jsonMeaning),
    ...compared('end of the body', 'complete', response.complete ? 'complete' : cutOff),
    ...[...inEveryAnswer, ...expected.headers].flatMap(([name, value]) =>
      compared(name, value ?? absent, headerOf(response, name) ?? absent, (text) => headerMeaning(name, text)),
    ),
  ]
}
