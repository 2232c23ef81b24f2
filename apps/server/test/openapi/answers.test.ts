import {
  headerOf,
  httpScenarios,
  memoryPorts,
  type RawRequest,
  type RawResponse,
  request,
  scenarios,
  target,
  type World,
} from '@canopy/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RunningServer } from '../../src/http/listen.js'
import { failedLookups, noProxies } from '../../src/limits/failedLookups.js'
import { startApp } from '../startApp.js'
import { operationAt, undocumented } from './documented.js'
import { openApi } from './openApi.js'
import { satisfies } from './satisfies.js'

interface Answered {
  readonly request: RawRequest
  readonly response: RawResponse
}

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

const ask = async ({ port }: RunningServer, asked: RawRequest): Promise<Answered> => ({
  request: asked,
  response: await request(port, asked),
})

const violationsIn = (answers: ReadonlyArray<Answered>): ReadonlyArray<string> =>
  answers.flatMap(({ request: asked, response }) => undocumented(asked, response))

describe('the document', () => {
  const services: Array<RunningServer> = []
  const answers: Array<Answered> = []
  const elsewhere: Array<Answered> = []
  const revalidated: Array<Answered> = []

  beforeAll(async () => {
    for (const world of new Set([...questions, ...outside].map((question) => question.world))) {
      const service = await startApp(memoryPorts(world))
      services.push(service)
      const here = (question: { readonly world: World }): boolean => question.world === world
      for (const { asked } of outside.filter(here)) elsewhere.push(await ask(service, asked))
      for (const { asked } of questions.filter(here)) {
        const answered = await ask(service, asked)
        const tag = headerOf(answered.response, 'ETag')
        answers.push(answered)
        if (tag !== undefined) revalidated.push(await ask(service, get(asked.target, [['If-None-Match', tag]])))
      }
    }
  })
  afterAll(async () => {
    await Promise.all(services.map(({ stop }) => stop()))
  })

  it('describes the answer to every scenario: its status, its body and its headers', () => {
    expect(answers.length).toBe(questions.length)
    expect(violationsIn(answers)).toEqual([])
  })

  it('describes 304', () => {
    expect(new Set(revalidated.map(({ response }) => response.status))).toEqual(new Set([304]))
    expect(violationsIn(revalidated)).toEqual([])
  })

  it('describes the body of every error that is answered to other paths and methods', () => {
    const errors = elsewhere.filter(({ response }) => response.status >= 400)
    expect(new Set(errors.map(({ response }) => response.status))).toEqual(new Set([400, 404, 405]))
    for (const { response } of errors)
      expect(satisfies(openApi.components.schemas['ErrorEnvelope'] ?? {}, JSON.parse(response.body.toString()))).toBe(
        true,
      )
  })

  it('promises of each operation no status that no scenario has, but for those of a server in need', () => {
    const seen = new Set(
      [...answers, ...revalidated].map(
        ({ request: asked, response }) => `${operationAt(asked.target)?.operationId} ${response.status}`,
      ),
    )
    const operations = Object.entries(openApi.paths).filter(([path]) => path.startsWith('/api/'))
    const promised = operations.flatMap(([, { get: operation }]) =>
      Object.keys(operation.responses).map((status) => `${operation.operationId} ${status}`),
    )
    const unseen = promised.filter((promise) => !seen.has(promise))
    expect(unseen.filter((promise) => !/ (408|429|431|503)$/.test(promise))).toEqual([])
  })

  const doorbell = '/api/triggers/v1/peek/doorbell'

  it('describes the answer to headers that are too large', async () => {
    const [service] = services
    if (service === undefined) throw new Error('no service was started')
    const answered = await ask(service, get(doorbell, [['X-Large', 'x'.repeat(64 * 1024)]]))
    expect(answered.response.status).toBe(431)
    expect(violationsIn([answered])).toEqual([])
  })

  it('describes the answer to a client that tried too many unknown ids', async () => {
    const service = await startApp(memoryPorts({ accounts: [], triggers: [] }), {
      limitLookups: failedLookups({ perMinute: 1, trustedProxies: noProxies }),
    })
    services.push(service)
    await ask(service, get(doorbell))
    const answered = await ask(service, get(doorbell))
    expect(answered.response.status).toBe(429)
    expect(violationsIn([answered])).toEqual([])
  })

  it('is not content with just any answer', () => {
    const [answered] = answers.filter(({ response }) => response.status === 200)
    if (answered === undefined) throw new Error('no scenario succeeded')
    const otherwise = (change: Partial<RawResponse>) =>
      undocumented(answered.request, { ...answered.response, ...change })
    expect(otherwise({ status: 418 })).toHaveLength(1)
    expect(otherwise({ body: Buffer.from('{"type":"error","error":"external"}') })).toHaveLength(1)
    const [failed] = answers.filter(({ response }) => response.status === 404)
    if (failed === undefined) throw new Error('no scenario failed')
    const wrong = Buffer.from('{"type":"error","error":"file not found","parameter":"depth"}')
    expect(undocumented(failed.request, { ...failed.response, body: wrong })).toHaveLength(1)
    expect(otherwise({ headers: [...answered.response.headers, ['X-Powered-By', 'Koa']] })).toHaveLength(1)
    expect(otherwise({ headers: answered.response.headers.filter(([name]) => name !== 'Cache-Control') })).toHaveLength(
      1,
    )
  })
})
