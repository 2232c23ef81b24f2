import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Failure } from '@canopy/domain'
import { dir, token, worldWith } from '@canopy/test-support'
import { memoryPorts, type Ports } from '@canopy/testkit'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Tracing } from '../../src/observe/openTelemetry.js'
import { openTelemetry } from '../../src/observe/openTelemetry.js'
import { logged, startService } from '../inProcess.js'
import { type Collector, type OtlpSpan, startCollector, valuesOf } from './observing.js'

const directories = Array.from({ length: 300 }, (_, index) => dir(`${index}`))
const world = worldWith([dir('secret plans', ...directories)])

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const parentId = '00f067aa0ba902b7'

const kinds = { internal: 1, server: 2 }
const failed = 2

const serverSpan = (spans: ReadonlyArray<OtlpSpan>) => spans.filter(({ kind }) => kind === kinds.server)
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

  /** The spans of these requests, once all is sent. */
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

  it('have one span for each request, named by its operation, and one below it for each call of a port', async () => {
    const spans = await traced([`/api/storage/v1/diritems/${token}/secret%20plans`, '/api/usercontent/v1/tree/id/9/x'])
    const [listing, refused, ...more] = serverSpan(spans)
    expect(more).toEqual([])
    expect([listing?.name, refused?.name]).toEqual(['storageDirItems', 'userContentTree'])
    expect(listing?.traceId).not.toBe(refused?.traceId)
    expect(childrenOf(spans, listing?.spanId).map(({ name }) => name)).toEqual([
      'areaOfToken',
      'settingsOf',
      'list',
      'areaOfToken',
      'settingsOf',
    ])
    expect(
      spans.every(({ traceId: id, parentSpanId, kind }) => kind === kinds.server || (id !== '' && parentSpanId !== '')),
    ).toBe(true)
    expect(collector.resource()['service.name']).toBe('canopy')
  })

  it('say method, status, operation and failure, and nothing else', async () => {
    const said = serverSpan(
      await traced([`/api/storage/v1/diritems/${token}?limit=1`, '/api/triggers/v1/peek/my-trigger', '/nowhere']),
    ).map(({ attributes }) => valuesOf(attributes))
    const of = (operation: string, status: number, failure: object) => ({
      'http.request.method': 'GET',
      'http.response.status_code': status,
      'canopy.operation': operation,
      ...failure,
    })
    expect(said).toEqual([
      of('storageDirItems', 200, {}),
      of('triggerPeek', 404, { 'canopy.failure': 'trigger not found' }),
      of('none', 404, { 'canopy.failure': 'no such route' }),
    ])
  })

  it('mark what failed on our side, in the request and in the port, without the cause', async () => {
    const ports = { list: () => TE.left(Failure.external(new Error('at /very/secret/place'))) }
    const spans = await traced([`/api/storage/v1/diritems/${token}`], { ports })
    const [asked] = serverSpan(spans)
    const list = spans.find(({ name }) => name === 'list')
    expect([asked?.status.code, list?.status.code]).toEqual([failed, failed])
    expect(valuesOf(list?.attributes ?? [])).toEqual({ 'canopy.failure': 'external' })
    expect(collector.bodies.join()).not.toContain('secret')
  })

  it('mark nothing where a port answers that there is nothing', async () => {
    const spans = await traced(['/api/usercontent/v1/tree/id/1/missing'])
    const nodeAt = spans.find(({ name }) => name === 'nodeAt')
    expect([nodeAt?.status.code ?? 0, valuesOf(nodeAt?.attributes ?? [])]).toEqual([
      0,
      { 'canopy.failure': 'file not found' },
    ])
  })

  it.each([
    ['continue the trace of the caller', '01', ['storageDirItems']],
    ['are not recorded when the caller does not record', '00', []],
  ])('%s, whose id is in the log line', async (_, flags, recorded) => {
    const traceparent = `00-${traceId}-${parentId}-${flags}`
    const spans = await traced([`/api/storage/v1/diritems/${token}`], { traceparent })
    expect(childrenOf(spans, parentId).map(({ name }) => name)).toEqual(recorded)
    expect(spans.filter((span) => span.traceId !== traceId)).toEqual([])
    expect(lines).toContainEqual(expect.objectContaining({ msg: 'request', trace: traceId, status: 200 }))
  })

  it('begin a new one without a well-formed traceparent, and the log line has the new id', async () => {
    const [asked] = serverSpan(await traced(['/nowhere'], { traceparent: token }))
    expect(asked?.traceId).toMatch(/^[0-9a-f]{32}$/)
    expect(asked?.parentSpanId ?? '').toBe('')
    expect(lines).toContainEqual(expect.objectContaining({ msg: 'request', trace: asked?.traceId }))
  })

  it('hold a bounded number of spans for a tree of many directories', async () => {
    const spans = await traced([`/api/storage/v1/tree/${token}`])
    expect(spans.length).toBe(1 + 128)
    expect(serverSpan(spans).map(({ attributes }) => valuesOf(attributes)['http.response.status_code'])).toEqual([200])
  })

  it('do not record probes', async () => {
    expect(await traced(['/healthz', '/readyz'])).toEqual([])
  })

  it.each([
    ['a collector refuses', 400],
    ['are on their way to a collector that is not there when the server ends', undefined],
  ])('that %s are reported in the log, and hold nothing up', async (_, status) => {
    const refusing = await startCollector(status)
    if (status === undefined) await refusing.stop()
    await tracing.stop()
    tracing = openTelemetry(`${refusing.url}/v1/traces`, log)
    await traced(['/nowhere', '/nowhere'])
    if (status !== undefined) await refusing.stop()
    expect(lines.filter(({ msg }) => msg === 'spans lost')).toMatchObject([{ level: 40, spans: 2 }])
  })

  it('that are all taken are not reported', async () => {
    expect(await traced(['/nowhere', '/nowhere'])).toHaveLength(2)
    expect(lines.filter(({ level }) => Number(level) > 30)).toEqual([])
  })

  it('that a collector never answers to hold the end of the server up for two seconds, and no longer', async () => {
    const silent = createServer(() => undefined).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    await tracing.stop()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { begin, stop } = openTelemetry(`http://127.0.0.1:${(silent.address() as AddressInfo).port}`, log)
    begin().end({
      operation: 'none',
      status: 404,
      failure: 'no such route',
      complete: true,
    })
    let isOver = false
    const stopped = stop().then(() => {
      isOver = true
      return isOver
    })
    await vi.advanceTimersByTimeAsync(1_999)
    expect(isOver).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    vi.useRealTimers()
    silent.closeAllConnections()
    silent.close()
    expect(isOver).toBe(true)
    await stopped
  })
})
