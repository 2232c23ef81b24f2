import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { Failure, type Name, type UserId } from '@canopy/domain'
import { dir, files, token, worldWith } from '@canopy/test-support'
import { memoryPorts, type Ports, request } from '@canopy/testkit'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { Registry } from 'prom-client'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { statuses } from '../../src/http/answers.js'
import { failedLookups, noProxies } from '../../src/limits/failedLookups.js'
import { metricsIn } from '../../src/observe/prometheus.js'
import { measurePorts } from '../../src/ports.js'
import { breakingListing } from '../breakingListing.js'
import { later } from '../later.js'
import { steadyPorts } from '../responseCache/steadyPorts.js'
import { servedApps } from '../servedApps.js'
import { counted, labelValues, samples } from './samples.js'

const bell = { id: 'bell', value: '{"type":"bell"}', state: 'valid' } as const
const world = worldWith([dir('few', ...files(3)), dir('many', ...files(5_000))], {}, [bell])

describe('the metrics of the service', () => {
  const served = servedApps()

  const serve = async (overrides: Partial<Ports> = {}, limit = 0) => {
    const registry = new Registry()
    const service = await served(
      { ...memoryPorts(world), ...overrides },
      { metrics: metricsIn(registry), limitLookups: failedLookups({ perMinute: limit, trustedProxies: noProxies }) },
    )
    const get = (target: string, method = 'GET') => request(service.port, { method, target })
    return { registry, get, port: service.port }
  }

  it('count requests by operation, status and failure; what is no operation is "none"', async () => {
    const { registry, get } = await serve()
    await get(`/api/storage/v1/tree/${token}/few`)
    await get(`/api/storage/v1/tree/${token}/few`)
    await get(`/api/storage/v1/tree/${token}/nothing`)
    await get(`/api/storage/v1/diritems/${token}/few/file%200`)
    await get('/api/usercontent/v1/tree/id/2')
    await get('/api/triggers/v1/peek/bell', 'HEAD')
    await get('/api/triggers/v1/peek/bell', 'OPTIONS')
    await get('/api/triggers/v1/peek/bell', 'POST')
    await get('/nowhere')
    await get('/nowhere/else')
    await get('http://localhost/nowhere')
    expect(counted(await registry.metrics())).toMatchObject({
      'canopy_requests_total{operation="storageTree",status="200",failure="none"}': 2,
      'canopy_requests_total{operation="storageTree",status="404",failure="file not found"}': 1,
      'canopy_requests_total{operation="storageDirItems",status="409",failure="type mismatch"}': 1,
      'canopy_requests_total{operation="userContentTree",status="403",failure="permission denied"}': 1,
      'canopy_requests_total{operation="triggerPeek",status="200",failure="none"}': 1,
      'canopy_requests_total{operation="triggerPeek",status="204",failure="none"}': 1,
      'canopy_requests_total{operation="triggerPeek",status="405",failure="method not allowed"}': 1,
      'canopy_requests_total{operation="none",status="404",failure="no such route"}': 2,
      'canopy_requests_total{operation="none",status="400",failure="bad request"}': 1,
      'canopy_request_duration_seconds_count{operation="storageTree"}': 3,
      'canopy_request_duration_seconds_count{operation="none"}': 3,
    })
  })

  it('time from a tenth of a millisecond to ten seconds', async () => {
    const { registry, get } = await serve()
    await get('/api/triggers/v1/peek/bell')
    const names = [...samples(await registry.metrics()).keys()].filter((name) => /request_duration.*_bucket/.test(name))
    const bounds = names.map((name) => /le="([^"]+)"/.exec(name)?.[1])
    expect([bounds[0], bounds.at(-2), bounds.at(-1)]).toEqual(['0.0001', '10', '+Inf'])
  })

  it('count the nodes of trees, streamed ones too, and the items of listings', async () => {
    const { registry, get } = await serve()
    const after = async (target: string) => {
      const before = samples(await registry.metrics()).get('canopy_nodes_written_total') ?? 0
      await get(target)
      return (samples(await registry.metrics()).get('canopy_nodes_written_total') ?? 0) - before
    }
    expect(await after(`/api/storage/v1/tree/${token}/few`)).toBe(4)
    expect(await after(`/api/storage/v1/tree/${token}`)).toBe(5_006)
    expect(await after(`/api/usercontent/v1/tree/id/1?depth=0`)).toBe(1)
    expect(await after(`/api/storage/v1/tree/${token}/few/file%200`)).toBe(1)
    expect(await after(`/api/storage/v1/diritems/${token}/many?limit=7`)).toBe(7)
    expect(await after(`/api/usercontent/v1/diritems/id/1/few`)).toBe(3)
    expect(await after(`/api/usercontent/v1/diritems/id/2/few`)).toBe(0)
  })

  it('count what is no request, as answered', async () => {
    const { registry, port } = await serve()
    const socket = connect(port, '127.0.0.1')
    socket.resume().write('no request\r\n\r\n')
    await once(socket, 'close')
    expect(counted(await registry.metrics())).toEqual({
      'canopy_requests_total{operation="none",status="400",failure="bad request"}': 1,
      'canopy_request_duration_seconds_count{operation="none"}': 1,
    })
  })

  it('count an answer that is kept as any other, each time it is given', async () => {
    const { registry, get } = await serve(steadyPorts(world).ports)
    const path = '/api/usercontent/v1/diritems/id/1/few'
    for (const method of ['HEAD', 'GET', 'HEAD']) await get(path, method)
    expect(counted(await registry.metrics())).toMatchObject({
      canopy_nodes_written_total: 9,
      'canopy_requests_total{operation="userContentDirItems",status="200",failure="none"}': 3,
    })
  })

  it('count names that could not be listed', async () => {
    const { registry, get } = await serve({ list: () => TE.right({ entries: [], unlistable: 3 }) })
    await get(`/api/storage/v1/diritems/${token}`)
    expect(counted(await registry.metrics())).toMatchObject({ canopy_unlistable_names_total: 3 })
  })

  it('count entries that could not be looked at', async () => {
    const unknown = { names: ['a' as Name.Name, 'b' as Name.Name], cause: new Error('EIO') }
    const { registry, get } = await serve({ list: () => TE.right({ entries: [], unlistable: 0, unknown }) })
    await get(`/api/storage/v1/diritems/${token}`)
    expect(counted(await registry.metrics())).toMatchObject({ canopy_unreadable_entries_total: 2 })
  })

  it('count directories that trees leave unexpanded because they cannot be read, and no others', async () => {
    const memory = memoryPorts(world)
    const list: Ports['list'] = (area, at) =>
      at === '/' ? memory.list(area, at) : TE.left(Failure.external(new Error('EACCES')))
    const { registry, get } = await serve({ ...memory, list })
    const counter = async () => samples(await registry.metrics()).get('canopy_unreadable_directories_total')
    await get(`/api/storage/v1/tree/${token}?depth=1`)
    await get(`/api/storage/v1/tree/${token}/few`)
    await get(`/api/storage/v1/diritems/${token}/few`)
    expect(await counter()).toBe(0)
    await get(`/api/storage/v1/tree/${token}`)
    await get('/api/usercontent/v1/tree/id/1')
    expect(await counter()).toBe(4)
  })

  it('time each port and count its failures by name', async () => {
    const { registry, get } = await serve({ list: () => TE.left(Failure.external(new Error(token))) })
    await get(`/api/storage/v1/diritems/${token}`)
    await get(`/api/storage/v1/diritems/${token.replace('aa', 'bb')}`)
    expect(counted(await registry.metrics())).toMatchObject({
      'canopy_port_duration_seconds_count{port="areaOfToken"}': 2,
      'canopy_port_duration_seconds_count{port="settingsOf"}': 1,
      'canopy_port_duration_seconds_count{port="list"}': 1,
      'canopy_port_failures_total{port="areaOfToken",failure="invalid token"}': 1,
      'canopy_port_failures_total{port="list",failure="external"}': 1,
    })
  })

  it('count a port that throws as external', async () => {
    const { registry, get } = await serve({
      nodeAt: () => () => {
        throw new Error('a defect')
      },
    })
    await get(`/api/storage/v1/tree/${token}`)
    expect(counted(await registry.metrics())).toMatchObject({
      'canopy_port_failures_total{port="nodeAt",failure="external"}': 1,
    })
  })

  it('show what is in flight, and what was cut', async () => {
    const [reached, finished] = [later(), later()]
    const memory = memoryPorts(world)
    const { registry, get, port } = await serve({
      triggerOf: (id) => async () => {
        reached.give()
        await finished.value
        return memory.triggerOf(id)()
      },
    })
    const inFlight = async () => samples(await registry.metrics()).get('canopy_requests_in_flight')
    expect(await inFlight()).toBe(0)
    const gone = connect(port, '127.0.0.1')
    gone.write('GET /api/triggers/v1/peek/bell HTTP/1.1\r\nHost: x\r\n\r\n')
    await reached.value
    const answered = get('/api/triggers/v1/peek/bell')
    while ((await inFlight()) !== 2) await new Promise(setImmediate)
    gone.destroy()
    await once(gone, 'close')
    while ((await inFlight()) !== 1) await new Promise(setImmediate)
    finished.give()
    await answered
    expect(counted(await registry.metrics())).toMatchObject({
      'canopy_requests_aborted_total{operation="triggerPeek"}': 1,
    })
    expect(await inFlight()).toBe(0)
  })

  it('show an answer as cut that was made, and not read to its end', async () => {
    const { registry, port } = await serve(memoryPorts(worldWith([dir('most', ...files(100_000))])))
    const gone = connect(port, '127.0.0.1')
    gone.write('GET /api/usercontent/v1/diritems/id/1/most HTTP/1.1\r\nHost: x\r\n\r\n')
    await once(gone, 'data')
    gone.destroy()
    const ended = 'canopy_requests_total{operation="userContentDirItems",status="200",failure="none"}'
    while (samples(await registry.metrics()).get(ended) !== 1) await new Promise(setImmediate)
    expect(counted(await registry.metrics())).toMatchObject({
      [ended]: 1,
      'canopy_requests_aborted_total{operation="userContentDirItems"}': 1,
    })
  })

  it('show a tree that was cut off as cut and as failed', async () => {
    const memory = memoryPorts(worldWith([...files(5_000), dir('z')]))
    const list: Ports['list'] = (area, at) => (at === '/z' ? TE.right(breakingListing()) : memory.list(area, at))
    const { registry, get } = await serve({ ...memory, list })
    await get('/api/usercontent/v1/tree/id/1')
    expect(counted(await registry.metrics())).toMatchObject({
      'canopy_requests_total{operation="userContentTree",status="200",failure="external"}': 1,
      'canopy_requests_aborted_total{operation="userContentTree"}': 1,
    })
  })

  it('count what is limited and what is refused for overload by operation', async () => {
    const { registry, get } = await serve({}, 1)
    for (const target of ['/api/triggers/v1/peek/x', '/api/triggers/v1/peek/bell']) await get(target)
    const overloaded = new Registry()
    const full = { most: 0, atOnce: 10, longMs: 100 }
    const service = await served(memoryPorts(world), { metrics: metricsIn(overloaded), admission: full })
    for (const target of ['/api/triggers/v1/peek/bell', '/nowhere'])
      await request(service.port, { method: 'GET', target })
    expect(counted(await registry.metrics())).toMatchObject({
      'canopy_requests_total{operation="triggerPeek",status="429",failure="too many requests"}': 1,
    })
    expect(counted(await overloaded.metrics())).toMatchObject({
      'canopy_requests_total{operation="triggerPeek",status="503",failure="overloaded"}': 1,
      'canopy_requests_total{operation="none",status="503",failure="overloaded"}': 1,
    })
  })

  it('show the cache of listings as it is when they are read', async () => {
    const registry = new Registry()
    const figures = { bytes: 1, watches: 2, hits: 3, misses: 4, evictions: 5 }
    metricsIn(registry).watchCache(() => figures)
    await registry.metrics()
    figures.hits = 13
    expect(counted(await registry.metrics())).toEqual({
      canopy_listing_cache_bytes: 1,
      canopy_listing_cache_watches: 2,
      canopy_listing_cache_hits_total: 13,
      canopy_listing_cache_misses_total: 4,
      canopy_listing_cache_evictions_total: 5,
    })
  })

  it('do not count probes', async () => {
    const { registry, get } = await serve()
    await get('/healthz')
    await get('/readyz')
    expect(counted(await registry.metrics())).toEqual({})
  })

  it('have labels of closed sets only, whatever is asked', async () => {
    const { registry, get } = await serve()
    const odd = ['%00', '..', `${token}x`, '999', 'x"y', '{}', 'ä', ' ', 'a'.repeat(300)].map(encodeURIComponent)
    const prefixes = ['storage/v1/tree', 'storage/v1/diritems', 'usercontent/v1/tree/id', 'triggers/v1/peek', 'odd']
    for (const prefix of prefixes)
      for (const part of odd)
        for (const path of ['', `/${part}`]) await get(`/api/${prefix}/${part}${path}?depth=${part}`)
    for (const method of ['PURGE', 'PROPFIND', 'TRACE']) await get('/api/triggers/v1/peek/bell', method)
    const operations = [
      'storageTree',
      'storageDirItems',
      'userContentTree',
      'userContentDirItems',
      'triggerPeek',
      'none',
    ]
    const ports = ['areaOfToken', 'areaOfUser', 'settingsOf', 'nodeAt', 'list', 'triggerOf']
    const answers = Object.entries(statuses).flat().map(String)
    const closed = new Set([...operations, ...ports, ...answers, '200', '304'])
    const values = [...labelValues(await registry.metrics())]
    expect(values.filter((value) => !closed.has(value))).toEqual([])
    expect(values.length).toBeGreaterThan(12)
  })
})

describe('the times in the metrics', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('are seconds', async () => {
    const registry = new Registry()
    const metrics = metricsIn(registry)
    const ended = metrics.began()
    vi.advanceTimersByTime(2_000)
    ended({ operation: 'triggerPeek', status: 200, failure: 'none', complete: true })
    const memory = memoryPorts(world)
    const slow: Ports['settingsOf'] = (owner) => () => {
      vi.advanceTimersByTime(3_000)
      return memory.settingsOf(owner)()
    }
    await measurePorts({ ...memory, settingsOf: slow }, metrics).settingsOf(1n as UserId.UserId)()
    const sums = [...samples(await registry.metrics())].filter(
      ([name, value]) => name.includes('_seconds_sum') && value > 0,
    )
    expect(Object.fromEntries(sums)).toEqual({
      'canopy_request_duration_seconds_sum{operation="triggerPeek"}': 2,
      'canopy_port_duration_seconds_sum{port="settingsOf"}': 3,
    })
  })
})

const page = readFileSync(new URL('../../../../docs/metrics.md', import.meta.url), 'utf8')

describe('docs/metrics.md', () => {
  it('explains every metric of the service, and no other', () => {
    const registry = new Registry()
    metricsIn(registry)
    const names = registry.getMetricsAsArray().map(({ name }) => name)
    const explained = [...page.matchAll(/^- `(canopy_[a-z_]+)`/gm)].map(([, name]) => name)
    expect(explained).toEqual(names)
  })
})
