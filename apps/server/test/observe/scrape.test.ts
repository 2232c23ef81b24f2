import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { commonHeaders } from '@canopy/http'
import { worldWith } from '@canopy/test-support'
import { headerOf, request } from '@canopy/testkit'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'
import { metricsServer } from '../../src/observe/metricsServer.js'
import { right } from '../startApp.js'
import { seedData, serverOver } from '../startServer.js'
import { samples } from './observing.js'

// In CI it must be there.
const promtool = process.env['CI'] === 'true' || spawnSync('promtool', ['--version']).status === 0

describe('the port for metrics', () => {
  const serve = async (collect: () => Promise<string> = async () => '') => {
    const { port, stop } = right(await metricsServer(collect, { host: '127.0.0.1', port: 0 })())
    onTestFinished(async () => void (await stop()))
    return (target: string, method = 'GET') => request(port, { method, target })
  }

  it('serves the text at /metrics as Prometheus wants it', async () => {
    const texts = ['canopy_asked 2\n', 'canopy_asked 1\n']
    const get = await serve(async () => texts.pop() ?? '')
    await get('/metrics?format=prometheus')
    const answer = await get('/metrics')
    expect([answer.status, answer.body.toString()]).toEqual([200, 'canopy_asked 2\n'])
    expect(headerOf(answer, 'Content-Type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    expect(headerOf(answer, 'Cache-Control')).toBe('no-store')
    expect((await get('/metrics', 'HEAD')).body.length).toBe(0)
  })

  it('has no other route or method, and answers external without the cause', async () => {
    const get = await serve()
    const missing = { status: 404, body: Buffer.from('{"type":"error","error":"no such route"}') }
    for (const odd of ['/', '/metrics/', '/metricsx', '/METRICS']) expect(await get(odd)).toMatchObject(missing)
    const refused = await get('/metrics', 'POST')
    const headers = { ...commonHeaders, 'Content-Type': 'application/json; charset=utf-8', Allow: 'GET, HEAD' }
    expect(refused).toMatchObject({ status: 405, headers: expect.arrayContaining(Object.entries(headers)) })
    expect(headerOf(refused, 'Access-Control-Allow-Origin')).toBe(undefined)
    const failing = await serve(() => Promise.reject(new Error('a worker is silent')))
    const external = { status: 502, body: Buffer.from('{"type":"error","error":"external"}') }
    expect(await failing('/metrics')).toMatchObject(external)
  })
})

const root = fileURLToPath(new URL('../../../..', import.meta.url))

type Queries = ReadonlyArray<{ readonly expr: string }>
const alerts: Queries = parse(readFileSync(join(root, 'deploy/alerts.yaml'), 'utf8')).groups[0].rules
const dashboard: { readonly panels: ReadonlyArray<{ readonly targets: Queries }> } = JSON.parse(
  readFileSync(join(root, 'deploy/grafana.json'), 'utf8'),
)
const queries = [...alerts, ...dashboard.panels.flatMap(({ targets }) => targets)].map(({ expr }) => expr)

const serverOf = (workers: number) =>
  serverOver((data) => seedData(data, worldWith()), { CANOPY_WORKERS: `${workers}`, CANOPY_METRICS_PORT: '0' })

const [single, double] = [serverOf(1), serverOf(2)]

describe('a scrape of an idle server', () => {
  let text = ''
  beforeAll(async () => {
    text = await single.server.metrics()
  })

  it.each([
    'canopy_requests_total{operation="userContentTree",status="502",failure="external"}',
    'canopy_request_duration_seconds_count{operation="triggerPeek"}',
    'canopy_requests_aborted_total{operation="storageTree"}',
    'canopy_port_failures_total{port="list",failure="external"}',
    'canopy_listing_cache_misses_total',
  ])('has %s with 0', (series) => {
    expect(samples(text).get(series)).toBe(0)
  })

  it('has the metrics of the alerts and the dashboard', () => {
    const names = queries.flatMap((expr) => expr.match(/\b(?:canopy|nodejs|process)_[a-z0-9_]+/g) ?? [])
    expect(names.length).toBeGreaterThanOrEqual(queries.length - 1)
    for (const name of names) expect(text).toMatch(new RegExp(`^${name}[ {]`, 'm'))
  })

  it.runIf(promtool)('passes promtool check metrics', () => {
    const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' })
    expect([status, stdout + stderr]).toEqual([0, ''])
  })
})

it.runIf(promtool)('the alerts pass their tests', () => {
  const words = ['test', 'rules', 'alerts.test.yaml']
  const tested = spawnSync('promtool', words, { cwd: join(root, 'deploy'), encoding: 'utf8' })
  expect(tested).toMatchObject({ status: 0, stdout: expect.stringContaining('SUCCESS') })
})

it.each([
  [1, 'storage', 'areas', 'registry'],
  [1, 'registry', 'registry.sqlite', 'storage'],
  [2, 'storage', 'areas', 'registry'],
  [2, 'registry', 'registry.sqlite', 'storage'],
])('a scrape of %i process(es) shows that the %s is not ready while it is gone', async (workers, part, file, other) => {
  const { data, server } = workers === 1 ? single : double
  const ready = async (name: string) =>
    [...samples(await server.metrics())].flatMap(([series, value]) =>
      series.startsWith(`canopy_ready{part="${name}"`) ? [value] : [],
    )
  const all = (value: 0 | 1) => Array(workers).fill(value)
  const becomes = (value: 0 | 1) => expect.poll(() => ready(part), { timeout: 5_000 }).toEqual(all(value))
  if (workers > 1) await server.until('all workers are ready')
  await becomes(1)
  const [path, gone] = [join(data, file), join(data, 'gone')]
  await rename(path, gone)
  await becomes(0)
  expect(await ready(other)).toEqual(all(1))
  expect([await server.status('/healthz'), await server.status('/readyz')]).toEqual([200, 503])
  await rename(gone, path)
  await becomes(1)
})

it('a scrape of several processes has a series for each worker, on one port', async () => {
  const { server } = double
  /** Requests that later workers have counted. */
  const counts = async (after = 0) => {
    const series = /^canopy_requests_total\{operation="triggerPeek",status="404",.*worker="(\d+)"\} (\d+)$/gm
    const found = [...(await server.metrics()).matchAll(series)].filter(([, worker]) => Number(worker) > after)
    return found.reduce((sum, [, , count]) => sum + Number(count), 0)
  }
  const peek = async (times: number) => {
    for (let time = 0; time < times; time += 1) await server.get('/api/triggers/v1/peek/bell')
  }
  await peek(10)
  expect(await counts()).toBe(10)
  server.process.kill('SIGHUP')
  // The old ones accept connections until then.
  await server.until('stopped', 2)
  await peek(5)
  expect(await counts(2)).toBe(5)
  expect(server.said('serving metrics')).toHaveLength(1)
})
