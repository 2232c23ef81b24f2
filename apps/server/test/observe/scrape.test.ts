import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { privateResponse } from '@canopy/http'
import { worldWith } from '@canopy/test-support'
import { headerOf, request } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import type { RunningServer } from '../../src/http/listen.js'
import { metricsServer } from '../../src/observe/metricsServer.js'
import { seedData } from '../seedData.js'
import { serverOver } from '../startServer.js'
import { samples } from './observing.js'

// In CI it must be there.
const promtool = process.env['CI'] === 'true' || spawnSync('promtool', ['--version']).status === 0

describe('the port for metrics', () => {
  const started: Array<RunningServer> = []
  afterEach(() => Promise.all(started.splice(0).map(({ stop }) => stop())))

  const serve = async (collect: () => Promise<string> = async () => '') => {
    const listening = await metricsServer(collect, { host: '127.0.0.1', port: 0 })()
    if (E.isLeft(listening)) throw new Error(listening.left)
    started.push(listening.right)
    return (target: string, method = 'GET') => request(listening.right.port, { method, target })
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
    for (const odd of ['/', '/api/triggers/v1/peek/bell', '/metrics/', '/metricsx', '/METRICS'])
      expect(await get(odd)).toMatchObject({
        status: 404,
        body: Buffer.from('{"type":"error","error":"no such route"}'),
      })
    const refused = await get('/metrics', 'POST')
    expect(refused.headers).toEqual(expect.arrayContaining(Object.entries(privateResponse)))
    expect(headerOf(refused, 'Access-Control-Allow-Origin')).toBe(undefined)
    expect(headerOf(refused, 'Content-Type')).toBe('application/json; charset=utf-8')
    expect([refused.status, headerOf(refused, 'Allow')]).toEqual([405, 'GET, HEAD'])
    const failing = await serve(() => Promise.reject(new Error('a worker is silent')))
    expect(await failing('/metrics')).toMatchObject({
      status: 502,
      body: Buffer.from('{"type":"error","error":"external"}'),
    })
  })
})

const root = fileURLToPath(new URL('../../../..', import.meta.url))

interface Alert {
  readonly alert: string
  readonly expr: string
}
const alerts: ReadonlyArray<Alert> = parse(readFileSync(join(root, 'deploy/alerts.yaml'), 'utf8')).groups[0].rules

const { panels } = JSON.parse(readFileSync(join(root, 'deploy/grafana.json'), 'utf8')) as {
  panels: ReadonlyArray<{ readonly targets: ReadonlyArray<{ readonly expr: string }> }>
}
const queries = [...alerts, ...panels.flatMap(({ targets }) => targets)].map(({ expr }) => expr)

describe('a scrape of an idle server', () => {
  const over = serverOver((data) => seedData(data, worldWith()), { CANOPY_METRICS_PORT: '0' })
  let text = ''
  beforeAll(async () => {
    text = await over.server.metrics()
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

  it.runIf(promtool)('has alerts that pass their tests', () => {
    const run = (...words: ReadonlyArray<string>) =>
      spawnSync('promtool', words, { cwd: join(root, 'deploy'), encoding: 'utf8' })
    const tested = run('test', 'rules', 'alerts.test.yaml')
    expect(tested).toMatchObject({ status: 0, stdout: expect.stringContaining('SUCCESS') })
  })
})

describe.each([1, 2])('the readiness in a scrape of %i processes', (workers) => {
  const variables = { CANOPY_WORKERS: String(workers), CANOPY_METRICS_PORT: '0' }
  const over = serverOver((data) => seedData(data, worldWith()), variables)

  const ready = async (part: string): Promise<ReadonlyArray<number>> => {
    const found = samples(await over.server.metrics())
    return [...found].flatMap(([name, value]) => (name.startsWith(`canopy_ready{part="${part}"`) ? [value] : []))
  }
  const all = (value: 0 | 1) => Array(workers).fill(value)

  it.each([
    ['storage', 'areas', 'registry'],
    ['registry', 'registry.sqlite', 'storage'],
  ])('is 0 for the %s while it is gone', async (part, file, other) => {
    if (workers > 1) await over.server.until('all workers are ready')
    const becomes = (value: 0 | 1) => expect.poll(() => ready(part), { timeout: 5_000 }).toEqual(all(value))
    await becomes(1)
    const [path, gone] = [join(over.data, file), join(over.data, 'gone')]
    await rename(path, gone)
    await becomes(0)
    expect(await ready(other)).toEqual(all(1))
    expect([await over.server.status('/healthz'), await over.server.status('/readyz')]).toEqual([200, 503])
    await rename(gone, path)
    await becomes(1)
  })
})

describe('a scrape of a server of several processes', () => {
  const over = serverOver((data) => seedData(data, worldWith()), { CANOPY_WORKERS: '2', CANOPY_METRICS_PORT: '0' })

  /** Requests that later workers have counted. */
  const counts = async (after = 0): Promise<number> => {
    const series = /^canopy_requests_total\{operation="triggerPeek",status="404",.*worker="(\d+)"\} (\d+)$/gm
    const found = [...(await over.server.metrics()).matchAll(series)].filter(([, worker]) => Number(worker) > after)
    return found.reduce((sum, [, , count]) => sum + Number(count), 0)
  }
  const peek = async (times: number): Promise<void> => {
    for (let time = 0; time < times; time += 1) await over.server.get('/api/triggers/v1/peek/bell')
  }

  it('has a series for each worker, on one port', async () => {
    await over.server.until('all workers are ready')
    await peek(10)
    expect(await counts()).toBe(10)
    over.server.process.kill('SIGHUP')
    // The old ones accept connections until then.
    await over.server.until('stopped', 2)
    await peek(5)
    expect(await counts(2)).toBe(5)
    expect(over.server.said('serving metrics')).toHaveLength(1)
  })
})
