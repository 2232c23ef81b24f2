import { once } from 'node:events'
import { readFile, rm } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Route } from '@canopy/http'
import { file, worldWith } from '@canopy/test-support'
import { type RawResponse, request, sendRaw } from '@canopy/testkit'
import pLimit from 'p-limit'
import { beforeAll, describe, expect, it } from 'vitest'
import { get, openTo } from '../http/connecting.js'
import { seedData, startServer, temporaryData } from '../startServer.js'
import { samples, spellings, startCollector } from './observing.js'

const tokens = [`cnp_CANARYvalid${'x'.repeat(31)}A`, `cnp_CANARYunknown${'y'.repeat(29)}A`]
const triggers = [`BELLvalid${'z'.repeat(12)}w`, `BELLunknown${'q'.repeat(10)}g`]
/** Mistyped: without their prefix. */
const bareTokens = tokens.map((token) => token.slice('cnp_'.length))
const secrets = [...tokens, ...bareTokens, ...triggers]

/** Larger than the buffers of a connection, so that its answer stays in flight until it is read. */
const large = JSON.stringify({ type: 'large', text: 'x'.repeat(16 * 1024 * 1024) })

const world = worldWith([file('MARKER')], { tokens: [{ token: tokens[0] ?? '', scope: '/', state: 'valid' }] }, [
  { id: triggers[0] ?? '', value: large, state: 'valid' },
])

const prefixes = [...Object.values(Route.routes), ...Object.values(Route.fileRoutes)].map(({ prefix }) => prefix)

const placesIn = (prefix: string, secret: string): ReadonlyArray<string> => [
  `${prefix}${secret}?zip`,
  `${prefix}${secret}/MARKER`,
  `${prefix}x/${secret}`,
  `${prefix}1/a%2F${secret}%2F?zip`,
  `${prefix}1?depth=${secret}`,
  `${prefix}1?limit=1&after=${secret}&${secret}`,
]

const otherPlaces = (secret: string): ReadonlyArray<string> => [
  `/${secret}`,
  `/API/triggers/v1/peek/${secret}`,
  `//api/storage/v1/tree/${secret}`,
  `/api/storage/v1/tree/${secret}#x`,
  `http://localhost/api/storage/v1/tree/${secret}`,
  `/healthz?${secret}`,
  `/readyz/${secret}`,
]

const spelt = Object.values(spellings).flatMap((spell) =>
  [...secrets, ...tokens.map((token) => token.replace('cnp_', 'Cnp_'))].map(spell),
)
/** Tokens in longer names. An encoded slash splits a name, and so may stand in the middle of a token. */
const disguised = [...tokens, ...bareTokens].flatMap((token) => [
  `x-${token}.zip`,
  ...['%2F', '%252F'].map((slash) => token.slice(0, 20) + slash + token.slice(20)),
])
const targets = [...spelt, ...disguised].flatMap((secret) => [
  ...prefixes.flatMap((prefix) => placesIn(prefix, secret)),
  ...otherPlaces(secret),
])
const lineTargets = spelt.flatMap((secret) => [
  `/api/storage/v1/tree/${secret}?after=/${secret}`,
  `/api/usercontent/v1/tree/id/1?name=${secret}`,
])

const headerNames =
  'Accept Accept-Encoding Authorization Cookie Forwarded If-None-Match Origin Range Referer User-Agent X-Forwarded-For X-Forwarded-Host baggage tracestate'

/** Headers that a browser, a proxy or a tracing client may fill with a URL it knows. */
const headersWith = (secret: string, requestId: string): Headers => [
  ['X-Request-Id', requestId],
  ['traceparent', `00-${secret}-00f067aa0ba902b7-01`],
  ...headerNames.split(' ').map((name) => [name, secret] as const),
  [secret, secret],
]

const malformed = (secret: string): ReadonlyArray<string> => [
  `GET /api/storage/v1/tree/${secret} HTTP/9.9\r\n\r\n`,
  `GET /api/storage/v1/tree/${secret} HTTP/1.1\r\nHost: x\r\nX-Large: ${'x'.repeat(40_000)}\r\n\r\n`,
  `POST /api/storage/v1/tree/${secret} HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nConnection: close\r\n\r\nbody`,
  `POST /api HTTP/1.1\r\nHost: x\r\nContent-Length: ${secret.length}\r\nConnection: close\r\n\r\n${secret}`,
  `GET /api HTTP/1.1\r\nHost: ${secret}\r\nConnection: close\r\n\r\n`,
  `GET /api HTTP/1.1\r\nHost: x\r\nConnection: close, upgrade\r\nUpgrade: ${secret}\r\n\r\n`,
  `GET /api HTTP/1.1\r\nHost: x\r\nExpect: ${secret}\r\nConnection: close\r\n\r\n`,
  `GET /api HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: ${secret}\r\n\r\n`,
  `GET /api HTTP/1.1\r\nHost: x\r\nX Y${secret}: ${secret}\r\n\r\n`,
  `GET /api HTTP/1.1\r\nHost: x\r\n\r\n${secret} ${secret}\r\n\r\n`,
  `GET /api HTTP/1.1\r\nHost: x\r\n\r\nGET /${secret} HTTP/1.1\r\nHost: ${secret}\r\nConnection: close\r\n\r\n`,
  `GET ${secret} HTTP/1.1\r\nHost: x\r\n\r\n`,
  `GET /api ${secret}\r\nHost: x\r\n\r\n`,
  `${secret}\r\n\r\n`,
]

const textOf = (answer: RawResponse | undefined): string =>
  `${answer?.status} ${JSON.stringify(answer?.headers)} ${String(answer?.body)}\n`

const reportIn = async (data: string): Promise<string> => {
  for (;;) {
    const text = await readFile(join(data, 'report.json'), 'utf8').catch(() => '')
    if (text.trimEnd().endsWith('}')) return text
    await sleep(50)
  }
}

/** Runs out of memory on a signal. */
const crashing = `process.on('SIGUSR1', () => {
  const kept = []
  for (;;) kept.push(new Array(100_000).fill(kept.length))
})`

/** Returns all output of a server that gets the secrets in every spelling and place, and crashes during such requests. */
const everythingOf = async (): Promise<Readonly<Record<string, string>>> => {
  const data = await temporaryData()
  const collector = await startCollector()
  await seedData(data, world)
  const reports = `--report-on-signal --report-on-fatalerror --report-directory=${data} --report-filename=report.json`
  const variables = {
    CANOPY_DATA: data,
    CANOPY_LOG: 'trace',
    CANOPY_FILES: 'on',
    CANOPY_METRICS_PORT: '0',
    CANOPY_FAILED_LOOKUPS: '0',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_BSP_SCHEDULE_DELAY: '100',
    NODE_OPTIONS: `${reports} --max-old-space-size=256 --import=data:text/javascript,${encodeURIComponent(crashing)}`,
  }
  // There: a core dump, where one is made, must not outlive the test.
  const server = await startServer(variables, { cwd: data })
  const stderr: Array<string> = []
  server.process.stderr?.on('data', (chunk) => stderr.push(String(chunk)))

  const atOnce = pLimit(8)
  const asked = allRequestsTo(server.port).map((ask) => atOnce(async () => textOf(await ask())))
  const answers = await Promise.all(asked)
  // Two requests in flight: the client of one does not read, and the other has not sent all of it.
  const [unread, unsent] = [openTo(server.port), openTo(server.port)].map(({ socket }) => socket) as [Socket, Socket]
  unread.write(get(`/api/triggers/v1/peek/${triggers[0]}`))
  await once(unread, 'data')
  unread.pause()
  unsent.write(`GET /api/storage/v1/tree/${tokens[0]} HTTP/1.1\r\nHost: x\r\n`)
  const metrics = await server.metrics()
  server.process.kill('SIGUSR2')
  const report = await reportIn(data)
  await rm(join(data, 'report.json'))
  // The crash loses traces that are not sent yet.
  await sleep(500)
  const gone = once(server.process, 'close')
  server.process.kill('SIGUSR1')
  await gone
  const fatal = await reportIn(data)
  for (const socket of [unread, unsent]) socket.destroy()
  await collector.stop()
  await rm(data, { recursive: true })
  return {
    log: JSON.stringify(server.lines),
    'standard error': stderr.join(''),
    answers: answers.join(''),
    metrics,
    traces: collector.bodies.join('\n'),
    report,
    'fatal report': fatal,
  }
}

type Headers = ReadonlyArray<readonly [string, string]>

const allRequestsTo = (port: number) => {
  const ask = (target: string, headers: Headers) => () => request(port, { method: 'GET', target, headers })
  const host = ['Host', 'localhost'] as const
  return [
    ...targets.map((target) => ask(target, [host])),
    ...lineTargets.map((target) => ask(target, [host, ['Accept', 'application/x-ndjson']])),
    ...secrets.flatMap((secret) => [
      ...[`/${secret}`, secret].map((requestId) => ask('/api', [host, ...headersWith(secret, requestId)])),
      ...malformed(secret).map((text) => () => sendRaw(port, text)),
      // The server closes the connection without an answer.
      () => sendRaw(port, `CONNECT ${secret}:443 HTTP/1.1\r\nHost: x\r\n\r\n`).catch(() => undefined),
    ]),
  ]
}

/** Finds parts of secrets in the sinks, in any spelling, as `sink: spelling`. */
const leaksIn = (sinks: Readonly<Record<string, string>>): ReadonlyArray<string> =>
  Object.entries(sinks).flatMap(([sink, text]) =>
    Object.entries(spellings)
      // A truncated secret is a leak too.
      .filter(([, spell]) => secrets.some((secret) => text.includes(spell(secret.slice(4, 12)))))
      .map(([spelling]) => `${sink}: ${spelling}`),
  )

describe('tokens and trigger ids', () => {
  let sinks: Readonly<Record<string, string>> = {}

  beforeAll(async () => {
    sinks = await everythingOf()
  }, 240_000)

  it('reach every sink in requests of every status', () => {
    expect(sinks['answers']).toMatch(/^200 /m)
    for (const status of [400, 401, 403, 404, 405, 409, 431]) expect(sinks['answers']).toContain(`\n${status} `)
    expect(sinks['log']?.split('"request"').length).toBeGreaterThan(targets.length)
    expect(sinks['log']).toContain('/api/storage/v1/tree/[token]/MARKER')
    expect(sinks['log']).toContain('/files/token/[token]/MARKER')
    expect(sinks['answers']).toContain('application/x-ndjson')
    expect(sinks['traces']).toContain('storageTree')
    expect(sinks['report']).toContain('"javascriptStack"')
    expect(JSON.parse(sinks['fatal report'] ?? '')).toMatchObject({
      header: { event: expect.stringContaining('out of memory') },
    })
    expect(sinks['standard error']).toContain('FATAL ERROR')
    expect(samples(sinks['metrics'] ?? '').get('canopy_requests_in_flight')).toBe(1)
  })

  it('are in no log, metric, trace, answer, diagnostic report or standard error', () => {
    expect(leaksIn(sinks)).toEqual([])
  })
})
