import { createServer } from 'node:http'
import { Failure } from '@canopy/domain'
import { closed, dir, listening, token, worldWith } from '@canopy/test-support'
import { memoryPorts, type Ports } from '@canopy/testkit'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { fromHeader } from '../../src/http/Traceparent.js'
import { openTelemetry, type Tracing } from '../../src/observe/openTelemetry.js'
import { logged, startService } from '../inProcess.js'
import { type Collector, type OtlpSpan, startCollector, valuesOf } from './observing.js'

const directories = Array.from({ length: 300 }, (_, index) => dir(`${index}`))
const world = worldWith([dir('secret plans', ...directories)])

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const parentId = '00f067aa0ba902b7'

/** Numbers of OTLP: the kind of a span of a server, and the status of a failed one. */
const [ofServer, failed] = [2, 2]

const serverSpan = (spans: ReadonlyArray<OtlpSpan>) => spans.filter(({ kind }) => kind === ofServer)
const childrenOf = (spans: ReadonlyArray<OtlpSpan>, spanId: string | undefined) =>
  spans.filter(({ parentSpanId }) => parentSpanId === spanId)

describe('traces', () => {
  let collector: Collector
  let tracing: Tracing
  const { lines, log } = logged()

  beforeEach(async () => {
    lines.length = 0
    collector = await startCollector()
    tracing = openTelemetry(`${collector.url}/v1/traces`, log)
  })
  afterEach(() => collector.stop())

  const traced = async (
    targets: ReadonlyArray<string>,
    { traceparent, ports = {} }: { traceparent?: string; ports?: Partial<Ports> } = {},
  ): Promise<ReadonlyArray<OtlpSpan>> => {
    const service = await startService({ ...memoryPorts(world), ...ports }, { tracing, log })
    for (const target of targets) await service.ask(target, traceparent === undefined ? {} : { traceparent })
    await service.stop()
    await tracing.stop()
    return collector.spans()
  }

  it('have one span for each request, with its outcome, and one below it for each port call', async () => {
    const listing = `/api/storage/v1/diritems/${token}/secret%20plans?limit=1`
    const spans = await traced([listing, '/api/triggers/v1/peek/x', '/nowhere', '/healthz'])
    const requests = serverSpan(spans)
    const of = (operation: string, status: number, failure: object) => ({
      'http.request.method': 'GET',
      'http.response.status_code': status,
      'canopy.operation': operation,
      ...failure,
    })
    expect(requests.map(({ attributes }) => valuesOf(attributes))).toEqual([
      of('storageDirItems', 200, {}),
      of('triggerPeek', 404, { 'canopy.failure': 'trigger not found' }),
      of('none', 404, { 'canopy.failure': 'no such route' }),
    ])
    expect(requests.map(({ name }) => name).slice(0, 2)).toEqual(['storageDirItems', 'triggerPeek'])
    expect(new Set(requests.map((span) => span.traceId)).size).toBe(3)
    const calls = childrenOf(spans, requests[0]?.spanId).map(({ name }) => name)
    expect(calls).toEqual(expect.arrayContaining(['areaOfToken', 'settingsOf', 'list']))
    expect(collector.resource()['service.name']).toBe('canopy')
  })

  it('mark our failures in the request and the port, without the cause', async () => {
    const ports = { list: () => TE.left(Failure.external(new Error('at /very/secret/place'))) }
    const spans = await traced([`/api/storage/v1/diritems/${token}`], { ports })
    const [asked] = serverSpan(spans)
    const list = spans.find(({ name }) => name === 'list')
    expect([asked?.status.code, list?.status.code]).toEqual([failed, failed])
    expect(valuesOf(list?.attributes ?? [])).toEqual({ 'canopy.failure': 'external' })
    expect(collector.bodies.join()).not.toContain('secret')
  })

  it.each([
    ['continue a recorded trace', '01', ['storageDirItems']],
    ['are not recorded for an unrecorded trace', '00', []],
  ])('%s, with its id in the log line', async (_, flags, recorded) => {
    const traceparent = `00-${traceId}-${parentId}-${flags}`
    const spans = await traced([`/api/storage/v1/diritems/${token}`], { traceparent })
    expect(childrenOf(spans, parentId).map(({ name }) => name)).toEqual(recorded)
    expect(spans.filter((span) => span.traceId !== traceId)).toEqual([])
    expect(lines).toContainEqual(expect.objectContaining({ msg: 'request', trace: traceId, status: 200 }))
  })

  it('have at most 128 spans below a request', async () => {
    const spans = await traced([`/api/storage/v1/tree/${token}`])
    expect(spans.length).toBe(1 + 128)
    expect(serverSpan(spans).map(({ attributes }) => valuesOf(attributes)['http.response.status_code'])).toEqual([200])
  })

  it.each([
    ['refused', 400],
    ['lost without a collector', undefined],
  ])('that are %s are logged', async (_, status) => {
    const refusing = await startCollector(status)
    if (status === undefined) await refusing.stop()
    await tracing.stop()
    tracing = openTelemetry(`${refusing.url}/v1/traces`, log)
    await traced(['/nowhere', '/nowhere'])
    if (status !== undefined) await refusing.stop()
    expect(lines.filter(({ msg }) => msg === 'spans lost')).toMatchObject([{ level: 40, spans: 2 }])
  })

  it('delay a stop by at most one second if the collector is silent', async () => {
    const silent = createServer(() => undefined)
    const port = await listening(silent)
    await tracing.stop()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { begin, stop } = openTelemetry(`http://127.0.0.1:${port}`, log)
    begin().end({ operation: 'none', status: 404, failure: 'no such route', complete: true })
    const over = vi.fn<() => void>()
    const stopped = stop().then(over)
    await vi.advanceTimersByTimeAsync(999)
    expect(over).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    vi.useRealTimers()
    expect(over).toHaveBeenCalled()
    await closed(silent)
    await stopped
  })
})

it.each([
  [`00-${traceId}-${parentId}-01`, 1],
  [`01-${traceId}-${parentId}-03`, 3],
  [`01-${traceId}-${parentId}-01-more-to-come`, 1],
  ['', undefined],
  [`00-${traceId}-${parentId}-01-more`, undefined],
  [`ff-${traceId}-${parentId}-01`, undefined],
  [`00-${'0'.repeat(32)}-${parentId}-01`, undefined],
  [`00-${traceId}-${'0'.repeat(16)}-01`, undefined],
  [`00-${traceId.toUpperCase()}-${parentId}-01`, undefined],
  [`00-${traceId}-${parentId}-01\n`, undefined],
])('the traceparent %j has the flags %s', (header, traceFlags) => {
  const parsed = traceFlags === undefined ? O.none : O.some({ traceId, spanId: parentId, traceFlags })
  expect(fromHeader(header)).toEqual(parsed)
})
