import {
  headerOf,
  httpScenarios,
  memoryPorts,
  type RawRequest,
  type RawResponse,
  request,
  scenarios,
  sendRaw,
  target,
  type World,
} from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { httpServer } from '../../src/http/connections.js'
import { listen, type RunningServer } from '../../src/http/listen.js'
import { failedLookups, noProxies } from '../../src/limits/failedLookups.js'
import { parts, readiness } from '../../src/observe/health.js'
import { startApp } from '../startApp.js'
import { operationAt, undocumented } from './documented.js'
import { exactJson } from './exactJson.js'
import { examplesIn, openApi } from './openApi.js'
import { satisfies } from './satisfies.js'

interface Answered {
  readonly asked: RawRequest
  readonly response: RawResponse
}

type Answers = ReadonlyArray<Answered>

const get = (asked: string, headers: ReadonlyArray<readonly [string, string]> = []): RawRequest => ({
  method: 'GET',
  target: asked,
  headers: [['Host', 'localhost'], ...headers],
})

/** Each scenario's question; and the same of the root, or of what is below where it was the root: a path of its own. */
const asks = scenarios.flatMap(({ world, ask }) => [
  { world, ask },
  ...('path' in ask ? [{ world, ask: { ...ask, path: ask.path === '' ? '/below' : '' } }] : []),
])

const ofOperations = asks.map(({ world, ask }) => ({ world, asked: get(target(ask)) }))

const twoHosts = [...new Map(ofOperations.map((row) => [operationAt(row.asked.target), row])).values()].map(
  ({ world, asked }) => ({ world, asked: get(asked.target, [['Host', 'elsewhere']]) }),
)

const overHttp = httpScenarios.map(({ world, request: asked }) => ({ world, asked }))

const isDescribed = ({ asked }: { readonly asked: RawRequest }): boolean =>
  asked.method === 'GET' && operationAt(asked.target) !== undefined

/** Of operations by GET; what is answered to every other path and method, the document says in words. */
const questions = [...ofOperations, ...twoHosts, ...overHttp].filter(isDescribed)
const outside = overHttp.filter((question) => !isDescribed(question))

/** A target of each path of the document, its parameters filled with their examples. */
const targets = Object.keys(openApi.paths).map((path) =>
  path.replaceAll(/\{(\w+)\}/g, (_, name) => {
    const example = openApi.components.parameters[name]?.example
    if (example === undefined) throw new Error(`{${name}} has no example`)
    return example
  }),
)
const probes = targets.filter((each) => !each.startsWith('/api/'))

const draining = readiness({})
draining.drain()
const states = [
  readiness({}),
  readiness(Object.fromEntries(parts.map((part) => [part, TE.left('gone')]))),
  readiness({ registry: TE.right('here'), storage: TE.left('gone') }),
  draining,
]

const nothing = memoryPorts({ accounts: [], triggers: [] })

const violationsIn = (answers: Answers): ReadonlyArray<string> =>
  answers.flatMap(({ asked, response }) => undocumented(asked, response))

const statusesOf = (answers: Answers): ReadonlySet<number> => new Set(answers.map(({ response }) => response.status))

describe('the document', () => {
  const services: Array<RunningServer> = []
  const started = async (...parameters: Parameters<typeof startApp>) => {
    const service = await startApp(...parameters)
    services.push(service)
    return service
  }
  const ask = async ({ port }: RunningServer, asked: RawRequest): Promise<Answered> => ({
    asked,
    response: await request(port, asked),
  })

  const answers: Array<Answered> = []
  const elsewhere: Array<Answered> = []
  const revalidated: Array<Answered> = []
  const probed: Array<Answered> = []
  const malformed: Array<Answered> = []

  beforeAll(async () => {
    for (const world of new Set([...questions, ...outside].map((question) => question.world))) {
      const service = await started(memoryPorts(world))
      const here = (question: { readonly world: World }): boolean => question.world === world
      for (const { asked } of outside.filter(here)) elsewhere.push(await ask(service, asked))
      for (const { asked } of questions.filter(here)) {
        const answered = await ask(service, asked)
        const tag = headerOf(answered.response, 'ETag')
        answers.push(answered)
        if (tag !== undefined) revalidated.push(await ask(service, get(asked.target, [['If-None-Match', tag]])))
      }
    }
    for (const state of states) {
      const service = await started(nothing, { readiness: state })
      for (const probe of probes) {
        const asked = get(probe)
        probed.push(await ask(service, asked))
        malformed.push({ asked, response: await sendRaw(service.port, `GET ${probe} HTTP/9.9\r\n\r\n`) })
        malformed.push(await ask(service, get(probe, [['X-Large', 'x'.repeat(64 * 1024)]])))
      }
    }
  })
  afterAll(() => Promise.all(services.map(({ stop }) => stop())))

  it('describes the answer to every scenario: its status, its body and its headers', () => {
    expect(answers.length).toBe(questions.length)
    expect(violationsIn(answers)).toEqual([])
  })

  it('describes 304', () => {
    expect(statusesOf(revalidated)).toEqual(new Set([304]))
    expect(violationsIn(revalidated)).toEqual([])
  })

  it('describes the body of every error that is answered to other paths and methods', () => {
    const errors = elsewhere.filter(({ response }) => response.status >= 400)
    expect(statusesOf(errors)).toEqual(new Set([400, 404, 405]))
    const schema = openApi.components.schemas['ErrorEnvelope'] ?? {}
    for (const { response } of errors) expect(satisfies(schema, JSON.parse(response.body.toString()))).toBe(true)
  })

  it('describes what probes answer: while all is well, while parts fail, while the server goes away, and malformed', () => {
    expect(new Set(probed.map(({ asked, response }) => `${asked.target} ${response.status}`))).toEqual(
      new Set(['/healthz 200', '/readyz 200', '/readyz 503']),
    )
    expect(statusesOf(malformed)).toEqual(new Set([400, 431]))
    expect(violationsIn([...probed, ...malformed])).toEqual([])
  })

  it('shows answers that probes give', () => {
    const bodies = probed.map(({ response }) => exactJson(response.body.toString()))
    const shown = probes
      .flatMap((path) => Object.values(openApi.paths[path]?.get.responses ?? {}))
      .filter(({ $ref }) => $ref === undefined)
      .flatMap(examplesIn)
    expect(shown.length).toBe(4)
    for (const { value } of shown) expect(bodies).toContainEqual(value)
  })

  it.each(targets)('describes the answer to headers that never end: %s', async (each) => {
    const impatient = httpServer(() => undefined, { maxConnections: 100, idleMs: 65_000 })
    Object.assign(impatient.server, { headersTimeout: 50, connectionsCheckingInterval: 10 })
    const listening = await listen(impatient, { host: '127.0.0.1', port: 0 })()
    if (E.isLeft(listening)) throw listening.left
    services.push(listening.right)
    const response = await sendRaw(listening.right.port, `GET ${each} HTTP/1.1\r\nHost: localhost\r\n`)
    expect([response.status, response.complete, headerOf(response, 'Connection')]).toEqual([408, true, 'close'])
    expect(undocumented({ target: each }, response)).toEqual([])
  })

  it('describes the answer where more is asked than is worked on at once, and promises that this refuses no probe', async () => {
    const full = await started(nothing, { admission: { most: 0, atOnce: 10, longMs: 100 } })
    for (const each of targets) {
      const { asked, response } = await ask(full, get(each))
      expect([response.status, response.complete]).toEqual([probes.includes(each) ? 200 : 503, true])
      expect(undocumented(asked, response)).toEqual([])
    }
    const { response } = await ask(full, get('/elsewhere'))
    for (const probe of probes) expect(undocumented({ target: probe }, response)).not.toEqual([])
  })

  const doorbell = '/api/triggers/v1/peek/doorbell'

  it('describes the answer to headers that are too large, and to a client that tried too many unknown ids', async () => {
    const limited = await started(nothing, {
      limitLookups: failedLookups({ perMinute: 1, trustedProxies: noProxies }),
    })
    const refused = [
      await ask(limited, get(doorbell, [['X-Large', 'x'.repeat(64 * 1024)]])),
      await ask(limited, get(doorbell)),
      await ask(limited, get(doorbell)),
    ]
    expect(refused.map(({ response }) => response.status)).toEqual([431, 404, 429])
    expect(violationsIn(refused)).toEqual([])
  })

  it('promises no status that no answer has, but for those of a server in need', () => {
    const seen = new Set(
      [...answers, ...revalidated, ...probed, ...malformed].map(
        ({ asked, response }) => `${operationAt(asked.target)?.operationId} ${response.status}`,
      ),
    )
    const unseen = Object.entries(openApi.paths).flatMap(([path, { get: operation }]) =>
      Object.keys(operation.responses)
        .filter((status) => !seen.has(`${operation.operationId} ${status}`))
        .filter((status) => !(probes.includes(path) ? ['408'] : ['408', '429', '431', '503']).includes(status)),
    )
    expect(unseen).toEqual([])
  })

  const first = (all: Answers, isMeant: (response: RawResponse) => boolean): Answered => {
    const found = all.find(({ response }) => isMeant(response))
    if (found === undefined) throw new Error('there is no such answer')
    return found
  }
  const otherwise = ({ asked, response }: Answered, change: Partial<RawResponse>) =>
    undocumented(asked, { ...response, ...change })

  it('is not content with just any answer', () => {
    const succeeded = first(answers, ({ status }) => status === 200)
    const { headers } = succeeded.response
    for (const change of [
      { status: 418 },
      { body: Buffer.from('{"type":"error","error":"external"}') },
      { headers: [...headers, ['X-Powered-By', 'Koa'] as const] },
      { headers: headers.filter(([name]) => name !== 'Cache-Control') },
    ])
      expect(otherwise(succeeded, change)).toHaveLength(1)
    const failed = first(answers, ({ status }) => status === 404)
    const body = Buffer.from('{"type":"error","error":"file not found","parameter":"depth"}')
    expect(otherwise(failed, { body })).toHaveLength(1)
  })

  it('is not content with just any answer of a probe', () => {
    const failed = first(probed, ({ body }) => body.includes('failed'))
    const says = (body: string, status = 503) => otherwise(failed, { status, body: Buffer.from(body) })
    expect(says('{"type":"ready","status":"failed","failed":["storage"]}')).toEqual([])
    for (const body of [
      '{"type":"ready","status":"ok"}',
      '{"type":"ready","status":"failed"}',
      '{"type":"ready","status":"failed","failed":[]}',
      '{"type":"ready","status":"failed","failed":["another"]}',
      '{"type":"error","error":"overloaded"}',
    ])
      expect(says(body)).toHaveLength(1)
    expect(says('{"type":"ready","status":"draining"}', 200)).toHaveLength(1)
  })
})
