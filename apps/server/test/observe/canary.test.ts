import { once } from 'node:events'
import { readFile, rm } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type RawResponse, request, sendRaw, type World } from '@canopy/testkit'
import pLimit from 'p-limit'
import { beforeAll, describe, expect, it } from 'vitest'
import { seedData } from '../seedData.js'
import { startServer, temporaryData } from '../startServer.js'
import { leaks, preload, samples, spellings, startCollector } from './observing.js'

const tokens = [`cnp_CANARYvalid${'x'.repeat(31)}A`, `cnp_CANARYunknown${'y'.repeat(29)}A`]
const triggers = [`BELLvalid${'z'.repeat(12)}w`, `BELLunknown${'q'.repeat(10)}g`]
/** Mistyped: without their prefix. */
const bareTokens = tokens.map((token) => token.slice('cnp_'.length))
const secrets = [...tokens, ...bareTokens, ...triggers]

/** Larger than the buffers of a connection, so that its answer stays in flight until it is read. */
const large = JSON.stringify({ type: 'large', text: 'x'.repeat(16 * 1024 * 1024) })

const world: World = {
  accounts: [
    {
      id: '1',
      verified: true,
      tokens: [{ token: tokens[0] ?? '', scope: '/', state: 'valid' }],
      settings: [{ path: '/', visibility: 'public' }],
      area: [{ type: 'file', name: 'MARKER', size: 1n, last_modified: 1n }],
    },
  ],
  triggers: [{ id: triggers[0] ?? '', value: large, state: 'valid' }],
}

const tokenPlaces = (token: string): ReadonlyArray<string> => [
  `/api/storage/v1/tree/${token}/MARKER`,
  `/api/storage/v1/tree/${token}/`,
  `/api/storage/v1/diritems/${token}?limit=1`,
  `/api/storage/v1/diritems/${token}/MARKER`,
  `/api/storage/v1/tree/x/${token}`,
  `/api/storage/v1/tree/${token}%2FMARKER`,
  `/api/usercontent/v1/tree/id/1/a%2F${token}%2Fb`,
  `/api/usercontent/v1/tree/id/${token}/MARKER`,
  `/api/usercontent/v1/tree/id/1/${token}`,
  `/api/usercontent/v1/tree/id/1/x/${token}/y`,
  `/api/usercontent/v1/tree/id/1/${token}.jpg`,
  `/api/usercontent/v1/tree/id/1/x%2F${token}%2Fy`,
  `/api/usercontent/v1/tree/id/1/x-${token}-y`,
  `/api/usercontent/v1/diritems/id/${token}`,
  `/api/usercontent/v1/diritems/id/1/${token}/`,
  `/api/usercontent/v1/tree/id/1?x=${token}`,
  `/api/usercontent/v1/tree/id/1?${token}=1`,
  `/api/usercontent/v1/tree/id/1?depth=${token}`,
  `/api/usercontent/v1/diritems/id/1?limit=1&after=${token}`,
  `/api/triggers/v1/peek/${token}`,
  `/api/triggers/v1/peek/x/${token}`,
  `/files/token/${token}/MARKER`,
  `/files/token/${token}/none`,
  `/files/token/${token}?zip`,
  `/files/token/x/${token}`,
  `/files/id/${token}/MARKER`,
  `/files/id/1/${token}.zip?zip`,
  `/files/id/1/MARKER?${token}`,
]

/** Targets of trees that are requested as lines. */
const linePlaces = (token: string): ReadonlyArray<string> => [
  `/api/storage/v1/tree/${token}`,
  `/api/storage/v1/tree/${token}?after=/${token}`,
  `/api/usercontent/v1/tree/id/1?name=${token}`,
  `/api/usercontent/v1/tree/id/1?after=${token}`,
]

/** An encoded slash splits a name, and so may stand in the middle of a token. */
const splitPlaces = (token: string): ReadonlyArray<string> =>
  ['%2F', '%2f', '%252F'].flatMap((slash) => [
    `/api/usercontent/v1/tree/id/1/${token.slice(0, 20)}${slash}${token.slice(20)}`,
    `/api/storage/v1/tree/${tokens[0]}/${token.slice(0, 30)}${slash}${token.slice(30)}/x`,
  ])

const triggerPlaces = (id: string): ReadonlyArray<string> => [
  `/api/triggers/v1/peek/${id}/`,
  `/api/triggers/v1/peek/${id}/more`,
  `/api/triggers/v1/peek/${id}%2Fmore`,
  `/api/usercontent/v1/tree/id/1/a%2F${id}%2Fb`,
  `/api/triggers/v1/peek/x?id=${id}`,
  `/api/triggers/v1/peek/${id}x`,
  `/api/storage/v1/tree/${id}`,
  `/api/storage/v1/tree/${tokens[0]}/${id}`,
  `/api/usercontent/v1/tree/id/1/${id}/more`,
]

const anywhere = (secret: string): ReadonlyArray<string> => [
  `/${secret}`,
  `/API/triggers/v1/peek/${secret}`,
  `//api/storage/v1/tree/${secret}`,
  `/api/storage/v1/tree/${secret}#x`,
  `http://localhost/api/storage/v1/tree/${secret}`,
  `http://localhost/api/triggers/v1/peek/${secret}`,
  `/healthz?${secret}`,
  `/readyz/${secret}`,
]

const targets = Object.values(spellings).flatMap((spell) => [
  ...[...tokens, ...bareTokens, ...tokens.map((token) => token.replace('cnp_', 'Cnp_'))]
    .map(spell)
    .flatMap(tokenPlaces),
  ...triggers.map(spell).flatMap(triggerPlaces),
  ...secrets.map(spell).flatMap(anywhere),
])
const lineTargets = Object.values(spellings).flatMap((spell) =>
  [...tokens, ...bareTokens].map(spell).flatMap(linePlaces),
)
const splitTargets = [...tokens, ...bareTokens].flatMap(splitPlaces)

/** Headers that a browser, a proxy or a tracing client may fill with a URL it knows. */
const headersWith = (secret: string, requestId: string): ReadonlyArray<readonly [string, string]> => [
  ['Host', 'localhost'],
  ['Referer', `http://localhost/api/storage/v1/tree/${secret}`],
  ['User-Agent', secret],
  ['Cookie', secret],
  ['Authorization', `Bearer ${secret}`],
  ['X-Request-Id', requestId],
  ['X-Forwarded-For', secret],
  ['traceparent', `00-${secret}-00f067aa0ba902b7-01`],
  ['tracestate', `canopy=${secret}`],
  ['baggage', `token=${secret}`],
  ['If-None-Match', `"${secret}"`],
  ...others.map((name) => [name, secret] as const),
  [secret, secret],
  [`X-${secret}`, '1'],
]

const others = [
  'Accept',
  'Accept-Encoding',
  'Accept-Language',
  'Content-Type',
  'Forwarded',
  'From',
  'If-Modified-Since',
  'Origin',
  'Range',
  'Via',
  'X-B3-TraceId',
  'X-Forwarded-Host',
  'X-Real-IP',
]

const malformed = (secret: string): ReadonlyArray<string> => [
  `GET /api/storage/v1/tree/${secret} HTTP/9.9\r\n\r\n`,
  `GET /api/storage/v1/tree/${secret} \u0000\r\n\r\n`,
  `GET /api/storage/v1/tree/${secret} HTTP/1.1\r\nHost: x\r\nX-Large: ${'x'.repeat(40_000)}\r\n\r\n`,
  `POST /api/storage/v1/tree/${secret} HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nConnection: close\r\n\r\nbody`,
  `POST /api HTTP/1.1\r\nHost: x\r\nContent-Length: ${secret.length}\r\nConnection: close\r\n\r\n${secret}`,
  `GET /api HTTP/1.1\r\nHost: ${secret}\r\nConnection: close\r\n\r\n`,
  `GET /api HTTP/1.1\r\nHost: x\r\nConnection: close, ${secret}\r\n\r\n`,
  `GET /api HTTP/1.1\r\nHost: x\r\nConnection: close, upgrade\r\nUpgrade: ${secret}\r\n\r\n`,
  `GET /api HTTP/1.1\r\nHost: x\r\nExpect: ${secret}\r\nConnection: close\r\n\r\n`,
  `GET /api HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: ${secret}\r\n\r\n`,
  `GET /api HTTP/1.1\r\nHost: x\r\nContent-Length: ${secret}\r\n\r\n`,
  `GET /api HTTP/1.1\r\nHost: x\r\nX Y${secret}: ${secret}\r\n\r\n`,
  `GET /api HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${secret}\r\n`,
  `GET /api HTTP/1.1\r\nHost: x\r\n\r\n${secret} ${secret}\r\n\r\n`,
  `GET /api HTTP/1.1\r\nHost: x\r\n\r\nGET /${secret} HTTP/1.1\r\nHost: ${secret}\r\nConnection: close\r\n\r\n`,
  `${secret} /api HTTP/1.1\r\nHost: x\r\n\r\n`,
  `GET ${secret} HTTP/1.1\r\nHost: x\r\n\r\n`,
  `GET /api ${secret}\r\nHost: x\r\n\r\n`,
  `${secret}\r\n\r\n`,
]

const textOf = ({ status, headers, body }: RawResponse): string =>
  `${status} ${JSON.stringify(headers)} ${body.toString()}\n`

/** Begins these requests, and does not let them end. */
const inFlight = async (port: number): Promise<ReadonlyArray<Socket>> => {
  const unread = connect(port, '127.0.0.1')
  unread.write(`GET /api/triggers/v1/peek/${triggers[0]} HTTP/1.1\r\nHost: x\r\n\r\n`)
  await once(unread, 'data')
  unread.pause()
  const unsent = connect(port, '127.0.0.1')
  unsent.write(`GET /api/storage/v1/tree/${tokens[0]} HTTP/1.1\r\nHost: x\r\n`)
  return [unread, unsent]
}

/** The diagnostic report, once it is written whole. */
const reportIn = async (data: string): Promise<string> => {
  for (;;) {
    const text = await readFile(join(data, 'report.json'), 'utf8').catch(() => '')
    if (text.trimEnd().endsWith('}')) return text
    await sleep(50)
  }
}

/** Runs out of memory on a signal. */
const crashing = preload(`process.on('SIGUSR1', () => {
  const kept = []
  for (;;) kept.push(new Array(100_000).fill(kept.length))
})`)

/**
 * Requests the secrets in every spelling and place, crashes the server during such requests, and returns all of its output.
 */
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
    NODE_OPTIONS: `${reports} --max-old-space-size=256 ${crashing['NODE_OPTIONS']}`,
  }
  // There: a core dump, where one is made, must not outlive the test.
  const server = await startServer(variables, { cwd: data })
  const stderr: Array<string> = []
  server.process.stderr?.on('data', (chunk) => stderr.push(String(chunk)))

  const atOnce = pLimit(8)
  const asked = allRequestsTo(server.port).map((ask) => atOnce(async () => textOf(await ask())))
  const answers = await Promise.all(asked)
  const sockets = await inFlight(server.port)
  for (const socket of sockets) socket.on('error', () => undefined)
  const metricsPort = Number(new URL(String(server.said('serving metrics')[0]?.['url'])).port)
  const metrics = textOf(await request(metricsPort, { method: 'GET', target: '/metrics' }))
  server.process.kill('SIGUSR2')
  const report = await reportIn(data)
  await rm(join(data, 'report.json'))
  // The crash loses traces that are not sent yet.
  await sleep(500)
  const gone = once(server.process, 'close')
  server.process.kill('SIGUSR1')
  await gone
  const fatal = await reportIn(data)
  for (const socket of sockets) socket.destroy()
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

const getting =
  (port: number) =>
  (target: string, headers: ReadonlyArray<readonly [string, string]> = [['Host', 'localhost']]) =>
  () =>
    request(port, { method: 'GET', target, headers })

/** The server closes the connection instead. */
const noAnswer: RawResponse = { status: 0, headers: [], body: Buffer.alloc(0), complete: false }

/** Every secret in every spelling and place. */
const allRequestsTo = (port: number) => [
  ...[...targets, ...splitTargets].map((target) => getting(port)(target)),
  ...lineTargets.map((target) => getting(port)(target, Object.entries({ Host: 'x', Accept: 'application/x-ndjson' }))),
  ...secrets.flatMap((secret) => [
    ...[`/${secret}`, secret].map((requestId) => getting(port)('/api', headersWith(secret, requestId))),
    ...malformed(secret).map((text) => () => sendRaw(port, text)),
    () => sendRaw(port, `CONNECT ${secret}:443 HTTP/1.1\r\nHost: x\r\n\r\n`).catch(() => noAnswer),
  ]),
]

/** For some two thousand requests, also on a machine that is busy. */
const hookMs = 240_000

describe('tokens and trigger ids', () => {
  let sinks: Readonly<Record<string, string>> = {}

  beforeAll(async () => {
    sinks = await everythingOf()
  }, hookMs)

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
    expect(leaks(sinks, secrets)).toEqual([])
  })

  it.each(Object.entries(spellings))('would be found in a sink %s', (spelling, spell) => {
    expect(leaks({ log: `before ${spell(tokens[0] ?? '')}` }, secrets)).toContain(`log: ${spelling}`)
  })
})
