import { dir, token, worldWith } from '@canopy/test-support'
import {
  headerOf,
  httpScenarios,
  memoryPorts,
  type RawRequest,
  type RawResponse,
  request,
  requestOf,
  scenarios,
  sendRaw,
  textFile,
} from '@canopy/testkit'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RunningServer } from '../../src/http/listen.js'
import { partNames, readiness } from '../../src/observe/health.js'
import { startApp } from '../startApp.js'
import { exactJson, examplesIn, openApi, operationAt, satisfies, undocumented } from './openApi.js'

interface Answered {
  readonly asked: RawRequest
  readonly response: RawResponse
}

const get = (asked: string, headers: ReadonlyArray<readonly [string, string]> = []): RawRequest => ({
  method: 'GET',
  target: asked,
  headers: [['Host', 'localhost'], ...headers],
})

const conditional = ({ headers = [['Host', 'localhost']], ...asked }: RawRequest, tag: string): RawRequest => ({
  ...asked,
  headers: [...headers, ['If-None-Match', tag]],
})

/** The request of each scenario, and the same for the root or below it, which is another path of the document. */
const ofOperations = scenarios.flatMap(({ world, ask }) => [
  { world, asked: requestOf(ask) },
  ...('path' in ask ? [{ world, asked: requestOf({ ...ask, path: ask.path === '' ? '/below' : '' }) }] : []),
])

const fileTarget = (target: string): string =>
  target
    .replace(/\?.*/, '')
    .replace('/api/storage/v1/tree/', '/files/token/')
    .replace('/api/usercontent/v1/tree/id/', '/files/id/')

const filesWorld = worldWith([dir('open', textFile('a.txt', 'text')), dir('closed')], {
  settings: [
    { path: '/', visibility: 'public' },
    { path: '/closed', visibility: 'private' },
  ],
})

/** Ranges in the files of the scenarios, which may be huge, and files and archives of a small world. */
const ofFiles = [
  ...ofOperations
    .filter(({ asked }) => /\/v1\/tree\//.test(asked.target))
    .map(({ world, asked }) => ({ world, asked: get(fileTarget(asked.target), [['Range', 'bytes=0-0']]) })),
  ...['/files/id/1', `/files/token/${token}`].flatMap((root) =>
    [
      ...['', '/open', '/closed', '/none', '/open/a.txt', '/open/a.txt/b'].flatMap((path) =>
        ['', '?zip', '?zip=1'].map((query) => get(`${root}${path}${query}`)),
      ),
      get(`${root}/open/a.txt`, [['Range', 'bytes=9-']]),
    ].map((asked) => ({ world: filesWorld, asked })),
  ),
]

const twoHosts = [...new Map(ofOperations.map((row) => [operationAt(row.asked.target), row])).values()].map(
  ({ world, asked }) => ({ world, asked: get(asked.target, [['Host', 'elsewhere']]) }),
)

const overHttp = httpScenarios.map(({ world, request: asked }) => ({ world, asked }))

/** The document describes other paths and methods in words. */
const isDescribed = ({ asked }: { readonly asked: RawRequest }): boolean =>
  asked.method === 'GET' && operationAt(asked.target) !== undefined

const questions = [...ofOperations, ...ofFiles, ...twoHosts, ...overHttp]

const files = { maxDownloads: 10 }

/** A target of each path of the document, its parameters filled with their examples. */
const targets = Object.keys(openApi.paths).map((path) =>
  path.replaceAll(/\{(\w+)\}/g, (_, name) => openApi.components.parameters[name]?.example ?? '(no example)'),
)
const probes = targets.filter((each) => !/^\/(api|files)\//.test(each))

const large = ['X-Large', 'x'.repeat(64 * 1024)] as const

const draining = readiness({})
draining.announceStop()
const states = [
  readiness({}),
  readiness(Object.fromEntries(partNames.map((part) => [part, TE.left('gone')]))),
  readiness({ registry: TE.right('here'), storage: TE.left('gone') }),
  draining,
]

const nothing = memoryPorts({ accounts: [], triggers: [] })

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

  beforeAll(async () => {
    for (const world of new Set(questions.map((question) => question.world))) {
      const service = await started(memoryPorts(world), { files })
      const smallBudget = await started(memoryPorts(world), { files, treeNodes: 1 })
      for (const question of questions.filter((each) => each.world === world)) {
        const answered = await ask(service, question.asked)
        if (!isDescribed(question)) {
          elsewhere.push(answered)
          continue
        }
        answers.push(answered)
        if (question.asked.target.endsWith('?zip')) answers.push(await ask(smallBudget, question.asked))
        const tag = headerOf(answered.response, 'ETag')
        if (tag !== undefined) answers.push(await ask(service, conditional(question.asked, tag)))
      }
    }
    for (const state of states) {
      const service = await started(nothing, { readiness: state })
      for (const asked of probes.map((probe) => get(probe))) {
        answers.push(await ask(service, asked), await ask(service, get(asked.target, [large])))
        answers.push({ asked, response: await sendRaw(service.port, `GET ${asked.target} HTTP/9.9\r\n\r\n`) })
      }
    }
  })
  afterAll(() => Promise.all(services.map(({ stop }) => stop())))

  it('describes status, body and headers of every answer', () => {
    expect(answers.length).toBeGreaterThan(300)
    expect(answers.flatMap(({ asked, response }) => undocumented(asked, response))).toEqual([])
  })

  it('describes every path that GET finds, and the errors of other paths and methods', () => {
    expect(elsewhere.filter(({ asked, response }) => asked.method === 'GET' && response.status < 400)).toEqual([])
    const errors = elsewhere.filter(({ response }) => response.status >= 400)
    expect(new Set(errors.map(({ response }) => response.status))).toEqual(new Set([400, 404, 405]))
    const schema = openApi.components.schemas['ErrorEnvelope'] ?? {}
    for (const { response } of errors) expect(satisfies(schema, JSON.parse(response.body.toString()))).toBe(true)
  })

  it('shows examples of probes that occur', () => {
    const bodies = answers
      .filter(({ asked }) => probes.includes(asked.target))
      .map(({ response }) => exactJson(response.body.toString()))
    const shown = probes
      .flatMap((path) => Object.values(openApi.paths[path]?.get.responses ?? {}))
      .filter(({ $ref }) => $ref === undefined)
      .flatMap(examplesIn)
    expect(shown.length).toBe(4)
    for (const { value } of shown) expect(bodies).toContainEqual(value)
  })

  it('describes overload, which refuses no probe', async () => {
    const full = await started(nothing, { files, maxAdmitted: 0 })
    for (const each of targets) {
      const { asked, response } = await ask(full, get(each))
      expect([response.status, response.complete]).toEqual([probes.includes(each) ? 200 : 503, true])
      expect(undocumented(asked, response)).toEqual([])
    }
    const { response } = await ask(full, get('/elsewhere'))
    for (const probe of probes) expect(undocumented({ target: probe }, response)).not.toEqual([])
  })

  it('describes no status and no error that does not occur, except those of overload', () => {
    const errorOf = (body: unknown): string => (body as { readonly error?: string }).error ?? ''
    const seen = new Set(
      answers.map(({ asked, response: { status, body } }) =>
        [operationAt(asked.target)?.operationId, status, status < 400 ? '' : errorOf(JSON.parse(String(body)))].join(),
      ),
    )
    const unseen = Object.entries(openApi.paths).flatMap(([path, { get: operation }]) =>
      Object.entries(operation.responses)
        .filter(([status]) => !(probes.includes(path) ? ['408'] : ['408', '429', '431', '503']).includes(status))
        .flatMap(([status, response]) => {
          const errors = Number(status) < 400 ? [''] : examplesIn(response).map(({ value }) => errorOf(value))
          return errors.map((error) => [operation.operationId, status, error].join())
        })
        .filter((documented) => !seen.has(documented)),
    )
    expect(unseen).toEqual([])
  })
})
