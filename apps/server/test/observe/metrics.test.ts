import { Failure, type Name } from '@canopy/domain'
import { HttpError, Route } from '@canopy/http'
import { dir, files, token, worldWith } from '@canopy/test-support'
import { memoryPorts, type Ports } from '@canopy/testkit'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { Registry } from 'prom-client'
import { expect, it } from 'vitest'
import { metricsIn } from '../../src/observe/prometheus.js'
import type { ServerEnv } from '../../src/server.js'
import { observedApps, steadyPorts } from '../inProcess.js'
import { counted } from './observing.js'

const bell = { id: 'bell', value: '{"type":"bell"}', state: 'valid' } as const
const world = worldWith([dir('few', ...files(3)), dir('many', ...files(5_000))], {}, [bell])
const memory = memoryPorts(world)
const external = TE.left(Failure.external(new Error(token)))

/** Every value of every label but the bounds of buckets. */
const labelValues = (text: string): ReadonlySet<string> =>
  new Set([...text.matchAll(/(?<![a-z])(?!le=)[a-z_]+="((?:[^"\\]|\\.)*)"/g)].map(([, value = '']) => value))

const peek = '/api/triggers/v1/peek/bell'
const owners = `/api/storage/v1/diritems/${token}`
const visitors = '/api/usercontent/v1/diritems/id/1/few'

const serve = observedApps()

interface Case {
  readonly ports?: Partial<Ports>
  readonly options?: Partial<ServerEnv>
  /** A target, or a method and a target. */
  readonly asked: ReadonlyArray<string>
  readonly counts: Readonly<Record<string, number>>
}
const cases: Readonly<Record<string, Case>> = {
  'requests by operation, status and failure': {
    asked: [
      `/api/storage/v1/tree/${token}/few`,
      `/api/storage/v1/tree/${token}/few`,
      `/api/storage/v1/tree/${token}/nothing`,
      `${owners}/few/file%200`,
      '/api/usercontent/v1/tree/id/2',
      `HEAD ${peek}`,
      `OPTIONS ${peek}`,
      `POST ${peek}`,
      '/nowhere',
      'http://localhost/nowhere',
    ],
    counts: {
      'canopy_requests_total{operation="storageTree",status="200",failure="none"}': 2,
      'canopy_requests_total{operation="storageTree",status="404",failure="file not found"}': 1,
      'canopy_requests_total{operation="storageDirItems",status="409",failure="type mismatch"}': 1,
      'canopy_requests_total{operation="userContentTree",status="403",failure="permission denied"}': 1,
      'canopy_requests_total{operation="triggerPeek",status="200",failure="none"}': 1,
      'canopy_requests_total{operation="triggerPeek",status="204",failure="none"}': 1,
      'canopy_requests_total{operation="triggerPeek",status="405",failure="method not allowed"}': 1,
      'canopy_requests_total{operation="none",status="404",failure="no such route"}': 1,
      'canopy_requests_total{operation="none",status="400",failure="bad request"}': 1,
      'canopy_request_duration_seconds_count{operation="storageTree"}': 3,
      'canopy_request_duration_seconds_count{operation="none"}': 2,
    },
  },
  'cached answers like any other': {
    ports: steadyPorts(world).ports,
    asked: [`HEAD ${visitors}`, visitors, `HEAD ${visitors}`],
    counts: {
      canopy_nodes_written_total: 9,
      canopy_response_cache_hits_total: 2,
      'canopy_requests_total{operation="userContentDirItems",status="200",failure="none"}': 3,
    },
  },
  'unlistable names and unreadable entries': {
    ports: {
      list: () => {
        const unknown = { names: ['a' as Name.Name, 'b' as Name.Name], cause: new Error('EIO') }
        return TE.right({ entries: [], unlistable: 3, unknown })
      },
    },
    asked: [owners],
    counts: { canopy_unlistable_names_total: 3, canopy_unreadable_entries_total: 2 },
  },
  'unreadable directories in trees': {
    ports: { list: (area, at) => (at === '/' ? memory.list(area, at) : external) },
    asked: [
      `/api/storage/v1/tree/${token}?depth=1`,
      `/api/storage/v1/tree/${token}/few`,
      `${owners}/few`,
      `/api/storage/v1/tree/${token}`,
      '/api/usercontent/v1/tree/id/1',
    ],
    counts: { canopy_unreadable_directories_total: 4 },
  },
  'the calls of each port, and its failures by name': {
    ports: { list: () => external },
    asked: [owners, owners.replace('aa', 'bb')],
    counts: {
      'canopy_port_duration_seconds_count{port="areaOfToken"}': 3,
      'canopy_port_duration_seconds_count{port="settingsOf"}': 2,
      'canopy_port_duration_seconds_count{port="list"}': 1,
      'canopy_port_failures_total{port="areaOfToken",failure="invalid token"}': 1,
      'canopy_port_failures_total{port="list",failure="external"}': 1,
    },
  },
  'refused requests without an operation': {
    options: { maxAdmitted: 0 },
    asked: [peek, '/nowhere'],
    counts: { 'canopy_requests_total{operation="none",status="503",failure="overloaded"}': 2 },
  },
}

it.each(Object.entries(cases))('metrics count %s', async (_, { ports, options, asked, counts }) => {
  const { ask, counts: found } = await serve({ ...memory, ...ports }, options)
  for (const each of asked) {
    const [target = '', method] = each.split(' ').reverse()
    await ask(target, {}, method)
  }
  expect(await found()).toMatchObject(counts)
})

it('metrics show the current cache of listings', async () => {
  const registry = new Registry()
  const figures = { bytes: 1, watches: 2, listings: 2, inFlight: 0, hits: 3, misses: 4, evictions: 5 }
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

it('metrics have only labels of closed sets, and do not count probes', async () => {
  const { metrics, ask, counts } = await serve(memory)
  for (const probe of ['/healthz', '/readyz']) await ask(probe)
  expect(await counts()).toEqual({})
  const odd = ['%00', '..', `${token}x`, '999', 'x"y', '{}', 'ä', ' ', 'a'.repeat(300)].map(encodeURIComponent)
  const prefixes = ['storage/v1/tree', 'storage/v1/diritems', 'usercontent/v1/tree/id', 'triggers/v1/peek', 'odd']
  for (const prefix of prefixes)
    for (const part of odd)
      for (const path of ['', `/${part}`]) await ask(`/api/${prefix}/${part}${path}?depth=${part}`)
  for (const method of ['PURGE', 'TRACE']) await ask(peek, {}, method)
  const answers = Object.entries(HttpError.statuses).flat().map(String)
  const kinds = ['file', 'range', 'archive', 'cut', 'none', '200', '206', '304', '416']
  const operations = Object.keys({ ...Route.routes, ...Route.fileRoutes })
  const closed = new Set([...operations, ...Object.keys(memory), ...answers, ...kinds])
  const values = [...labelValues(await metrics())]
  expect(values.filter((value) => !closed.has(value))).toEqual([])
  expect(values.length).toBeGreaterThan(12)
})

it('times are seconds', async () => {
  const registry = new Registry()
  metricsIn(registry).ended({ operation: 'triggerPeek', status: 200, failure: 'none', complete: true }, 2_000)
  expect(await registry.metrics()).toContain('canopy_request_duration_seconds_sum{operation="triggerPeek"} 2\n')
})
