import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Envelope, Items, Name, TreeNode, U64, Visibility } from '@canopy/domain'
import { dir, token, worldWith } from '@canopy/test-support'
import {
  arbitraries,
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
import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { beforeAll, describe, expect, it } from 'vitest'
import type { RunningServer } from '../../src/http/listen.js'
import { partNames, readiness } from '../../src/observe/health.js'
import { servedApps, settingsAt } from '../inProcess.js'
import { exactJson, examplesIn, openApi, operationAt, satisfies, undocumented } from './openApi.js'

it('the OpenAPI document passes the linter', () => {
  const redocly = join(dirname(createRequire(import.meta.url).resolve('@redocly/cli/package.json')), 'bin/cli.js')
  const command = [redocly, 'lint', 'src/openapi/openapi.yaml', '--config=redocly.yaml', '--format=stylish']
  const { status, stdout } = spawnSync(process.execPath, command, {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    env: { PATH: process.env['PATH'], REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    encoding: 'utf8',
  })
  expect([status, stdout]).toEqual([0, ''])
})

describe('a schema of the document', () => {
  interface Decoder {
    readonly decode: (value: unknown) => E.Either<unknown, unknown>
  }
  const { treeNode, directoryItem, nodeVisibility, visibility, name, u64, triggerValue, failure } = arbitraries

  const directoryItems = fc.array(directoryItem, { maxLength: 5 })

  /** The schema, the equivalent codec, and JSON that the service writes. */
  const shapes: ReadonlyArray<readonly [string, Decoder, fc.Arbitrary<string>]> = [
    ['U64', U64.codec, u64.map(String)],
    ['Name', Name.codec, name.map((text) => JSON.stringify(text))],
    ['Visibility', Visibility.codec, visibility.map((text) => JSON.stringify(text))],
    ['NodeVisibility', Visibility.nodeCodec, nodeVisibility.map(Visibility.json)],
    ['TreeNode', TreeNode.codec, treeNode.map(TreeNode.json)],
    ['DirectoryItem', Items.codec, directoryItem.map(Items.json)],
    ['TreeEnvelope', Envelope.treeCodec, treeNode.map(Envelope.treeJson)],
    ['DirContentEnvelope', Envelope.dirContentCodec, directoryItems.map(Envelope.dirContentJson)],
    ['TriggerPeakEnvelope', Envelope.triggerPeakCodec, triggerValue.map(Envelope.triggerPeakJson)],
    ['ErrorEnvelope', Envelope.errorCodec, failure.map(({ error }) => Envelope.errorJson(error))],
  ]

  const anyInteger = fc.bigInt({ min: -(2n ** 65n), max: 2n ** 65n })
  const anyJson = fc.oneof(
    fc.jsonValue(),
    anyInteger.map((value) => exactJson(`${value}`)),
  )

  /** A value with one field, at any depth, removed or replaced. */
  const spoilt = (value: unknown): fc.Arbitrary<unknown> => {
    if (typeof value !== 'object' || value === null) return anyJson
    const entries = Object.entries(value)
    const changed = entries.map(([key, field]) =>
      spoilt(field).map((other) => Object.assign(Array.isArray(value) ? [...value] : { ...value }, { [key]: other })),
    )
    const without = entries.map(([key]) => fc.constant(Object.fromEntries(entries.filter(([other]) => other !== key))))
    return fc.oneof(anyJson, ...changed, ...without)
  }

  it.each(shapes)('%s accepts what its codec accepts', (schema, codec, written) => {
    const accepted = (value: unknown) => [
      satisfies(openApi.components.schemas[schema] ?? {}, value),
      E.isRight(codec.decode(value)),
    ]
    let refused = 0
    fc.assert(
      fc.property(
        written.map(exactJson).chain((value) => fc.tuple(fc.constant(value), spoilt(value))),
        ([value, other]) => {
          expect(accepted(value)).toEqual([true, true])
          const [bySchema, byCodec] = accepted(other)
          if (bySchema === false) refused += 1
          expect(bySchema).toBe(byCodec)
        },
      ),
      { numRuns: 1_000 },
    )
    expect(refused).toBeGreaterThan(100)
  })
})

interface Answered {
  readonly asked: RawRequest
  readonly response: RawResponse
}

const get = (asked: string, headers: ReadonlyArray<readonly [string, string]> = []): RawRequest => ({
  method: 'GET',
  target: asked,
  headers: [['Host', 'localhost'], ...headers],
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
  settings: settingsAt({ '/': 'public', '/closed': 'private' }),
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

describe('the OpenAPI document', () => {
  const serve = servedApps()
  const ask = async ({ port }: RunningServer, asked: RawRequest): Promise<Answered> => ({
    asked,
    response: await request(port, asked),
  })

  const answers: Array<Answered> = []
  const elsewhere: Array<Answered> = []

  beforeAll(async () => {
    for (const world of new Set(questions.map((question) => question.world))) {
      const service = await serve(memoryPorts(world), { files })
      const smallBudget = await serve(memoryPorts(world), { files, treeNodes: 1 })
      for (const question of questions.filter((each) => each.world === world)) {
        const answered = await ask(service, question.asked)
        if (!isDescribed(question)) {
          elsewhere.push(answered)
          continue
        }
        answers.push(answered)
        if (question.asked.target.endsWith('?zip')) answers.push(await ask(smallBudget, question.asked))
        const tag = headerOf(answered.response, 'ETag')
        const { headers = [['Host', 'localhost']] } = question.asked
        if (tag !== undefined)
          answers.push(await ask(service, { ...question.asked, headers: [...headers, ['If-None-Match', tag]] }))
      }
    }
    for (const state of states) {
      const service = await serve(nothing, { readiness: state })
      for (const asked of probes.map((probe) => get(probe))) {
        answers.push(await ask(service, asked), await ask(service, get(asked.target, [large])))
        answers.push({ asked, response: await sendRaw(service.port, `GET ${asked.target} HTTP/9.9\r\n\r\n`) })
      }
    }
  })

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

  it('describes overload, which refuses no probe', async () => {
    const full = await serve(nothing, { files, maxAdmitted: 0 })
    for (const each of targets) {
      const { asked, response } = await ask(full, get(each))
      expect([response.status, response.complete]).toEqual([probes.includes(each) ? 200 : 503, true])
      expect(undocumented(asked, response)).toEqual([])
    }
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
