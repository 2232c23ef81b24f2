import { spawnSync } from 'node:child_process'
import { worldWith } from '@canopy/test-support'
import { request } from '@canopy/testkit'
import { beforeAll, describe, expect, it } from 'vitest'
import { plantData } from '../plantData.js'
import { type Server, serverOver } from '../startServer.js'
import { samples } from './samples.js'

const promtool = spawnSync('promtool', ['--version']).status === 0

const said = ({ lines }: Server, text: string) => lines.filter(({ msg }) => msg === text)

const scraped = async (server: Server, query = ''): Promise<string> => {
  const { url } = said(server, 'metrics')[0] as { readonly url: string }
  const target = `/metrics${query}`
  const { status, body } = await request(Number(new URL(url).port), { method: 'GET', target })
  return status === 200 ? body.toString() : ''
}

describe('a scrape of a server that has answered nothing yet', () => {
  const over = serverOver((data) => plantData(data, worldWith()), { CANOPY_METRICS_PORT: '0' })
  let text = ''
  beforeAll(async () => {
    text = await scraped(over.server, '?format=prometheus')
  })

  it.each([
    'canopy_requests_total{operation="userContentTree",status="502",failure="external"}',
    'canopy_requests_total{operation="storageDirItems",status="401",failure="invalid token"}',
    'canopy_requests_total{operation="none",status="404",failure="no such route"}',
    'canopy_request_duration_seconds_count{operation="triggerPeek"}',
    'canopy_requests_aborted_total{operation="storageTree"}',
    'canopy_port_failures_total{port="list",failure="external"}',
    'canopy_port_duration_seconds_count{port="areaOfToken"}',
    'canopy_requests_total{operation="none",status="503",failure="overloaded"}',
    'canopy_listing_cache_misses_total',
    'canopy_listing_cache_evictions_total',
  ])('has %s with 0, so that an alert on its rate sees the first increase', (series) => {
    expect(samples(text).get(series)).toBe(0)
  })

  // `.ci/run` installs promtool.
  it.runIf(promtool)('passes promtool check metrics', () => {
    const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' })
    expect([status, stdout + stderr]).toEqual([0, ''])
  })
})

describe('a scrape of a server of several processes', () => {
  const over = serverOver((data) => plantData(data, worldWith()), { CANOPY_WORKERS: '2', CANOPY_METRICS_PORT: '0' })
  const long = { timeout: 30_000 }

  /** How many requests each worker has counted that was started after the first so many. */
  const counts = async (after = 0): Promise<number> => {
    const series = /^canopy_requests_total\{operation="triggerPeek",status="404",.*worker="(\d+)"\} (\d+)$/gm
    const found = [...(await scraped(over.server)).matchAll(series)].filter(([, worker]) => Number(worker) > after)
    return found.reduce((sum, [, , count]) => sum + Number(count), 0)
  }
  const peek = async (times: number): Promise<void> => {
    for (let time = 0; time < times; time += 1)
      await request(over.server.port, { method: 'GET', target: '/api/triggers/v1/peek/bell' })
  }

  it('has the counts of all, on one port, each in a series of its own, so that none falls when a worker exits', async () => {
    await expect.poll(() => said(over.server, 'every worker is ready').length, long).toBe(1)
    await peek(10)
    expect(await counts()).toBe(10)
    over.server.process.kill('SIGHUP')
    await expect.poll(() => said(over.server, 'reloaded').length, long).toBe(1)
    await peek(5)
    expect(await counts(2)).toBe(5)
    expect(said(over.server, 'metrics').length).toBe(1)
  })
})
