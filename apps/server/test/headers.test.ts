import { headerOf, memoryPorts, type RawResponse, request, scenarios, sendRaw, target } from '@canopy/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RunningServer } from '../src/http/listen.js'
import { startApp } from './startApp.js'

const first = scenarios[0]
const world = first?.world ?? { accounts: [], triggers: [] }
const inTheWorld = scenarios.filter((scenario) => scenario.world === world)

const withoutDate = ({ headers }: RawResponse) => headers.filter(([name]) => name !== 'Date' && name !== 'X-Request-Id')

describe('the headers of an answer', () => {
  let service: RunningServer

  beforeAll(async () => {
    service = await startApp(memoryPorts(world))
  })
  afterAll(() => service.stop())

  const get = (path: string, headers: ReadonlyArray<readonly [string, string]> = []): Promise<RawResponse> =>
    request(service.port, { method: 'GET', target: path, headers: [['Host', 'localhost'], ...headers] })

  it('are those of GET when HEAD is asked, for every scenario, without a body', async () => {
    for (const { ask } of inTheWorld) {
      const ofGet = await get(target(ask))
      const ofHead = await request(service.port, { method: 'HEAD', target: target(ask) })
      expect([ofHead.status, withoutDate(ofHead), ofHead.complete]).toEqual([ofGet.status, withoutDate(ofGet), true])
    }
  })

  it('are those of GET when HEAD is asked, without a body, for what Node itself cannot read', async () => {
    const unreadable = (method: string) =>
      sendRaw(service.port, `${method} / HTTP/1.1\r\nHost: localhost\r\nno colon\r\n\r\n`, method)
    const [ofGet, ofHead] = await Promise.all([unreadable('GET'), unreadable('HEAD')])
    expect(JSON.parse(ofGet.body.toString())).toMatchObject({ type: 'error' })
    expect([ofHead.status, withoutDate(ofHead), ofHead.complete]).toEqual([400, withoutDate(ofGet), true])
  })

  it('let a browser of another origin ask for all that a program may, and remember that for a day', async () => {
    for (const { ask } of inTheWorld) {
      const preflight = await request(service.port, { method: 'OPTIONS', target: target(ask) })
      const allowed = ['Origin', 'Methods', 'Headers'].map((what) =>
        headerOf(preflight, `Access-Control-Allow-${what}`),
      )
      expect([preflight.status, ...allowed]).toEqual([204, '*', 'GET, HEAD, OPTIONS', '*'])
      expect(headerOf(preflight, 'Access-Control-Max-Age')).toBe(`${24 * 60 * 60}`)
    }
  })

  it('are shown to the scripts of other origins where these need them', async () => {
    for (const path of ['/api/usercontent/v1/diritems/id/1/photos', '/api']) {
      const shown = headerOf(await get(path), 'Access-Control-Expose-Headers')
      expect(shown?.split(', ')).toEqual(['Age', 'ETag', 'Link', 'Retry-After', 'X-Request-Id'])
    }
  })

  const listing = '/api/usercontent/v1/diritems/id/1/photos'

  it('hold an entity tag that is answered by 304 without a body when it is sent back', async () => {
    const etag = headerOf(await get(listing), 'ETag') ?? ''
    expect(etag).toMatch(/^W\/"[\w-]{22}"$/)
    for (const sent of [etag, etag.replace('W/', ''), `"other", ${etag}`, '*']) {
      const answer = await get(listing, [['If-None-Match', sent]])
      expect([sent, answer.status, answer.body.length, headerOf(answer, 'ETag')]).toEqual([sent, 304, 0, etag])
      expect(headerOf(answer, 'Cache-Control')).toBe('public, no-cache')
    }
  })

  it('of errors and triggers hold no entity tag, and no condition turns them into 304', async () => {
    for (const path of ['/api/triggers/v1/peek/doorbell', '/api/triggers/v1/peek/nobody', '/api']) {
      const answer = await get(path, [['If-None-Match', '*']])
      expect([path, answer.status === 304, headerOf(answer, 'ETag')]).toEqual([path, false, undefined])
    }
  })
})
