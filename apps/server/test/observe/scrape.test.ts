import { spawnSync } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { request } from '@canopy/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { plantData } from '../plantData.js'
import { type Server, startServer, temporaryData } from '../startServer.js'
import { samples } from './samples.js'

const promtool = spawnSync('promtool', ['--version']).status === 0

describe('a scrape of a server that has answered nothing yet', () => {
  let data = ''
  let server: Server
  let text = ''
  beforeAll(async () => {
    data = await temporaryData()
    await plantData(data, { accounts: [], triggers: [] })
    server = await startServer({ CANOPY_DATA: data, CANOPY_METRICS_PORT: '0' })
    const { url } = server.lines.find(({ msg }) => msg === 'metrics') as { readonly url: string }
    const answer = await request(Number(new URL(url).port), { method: 'GET', target: '/metrics?format=prometheus' })
    text = answer.status === 200 ? answer.body.toString() : ''
  })
  afterAll(async () => {
    await server.end()
    await rm(data, { recursive: true })
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
