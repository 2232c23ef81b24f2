import { headerOf, memoryPorts, type RawRequest, type RawResponse, request, sendRaw } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { httpServer } from '../../src/http/connections.js'
import { listen, type RunningServer } from '../../src/http/listen.js'
import { startApp } from '../startApp.js'
import { undocumented } from './documented.js'
import { openApi } from './openApi.js'
import { targetOf } from './targetOf.js'

const targets = Object.keys(openApi.paths).map(targetOf)
const ofOperations = targets.filter((target) => target.startsWith('/api/'))

describe('the document describes what a server in need answers', () => {
  const started: Array<RunningServer> = []
  beforeAll(async () => {
    const impatient = httpServer(() => undefined, { maxConnections: 100, idleMs: 65_000 })
    Object.assign(impatient.server, { headersTimeout: 50, connectionsCheckingInterval: 10 })
    const listening = await listen(impatient, { host: '127.0.0.1', port: 0 })()
    if (E.isLeft(listening)) throw listening.left
    const full = { most: 0, atOnce: 10, longMs: 100 }
    started.push(listening.right, await startApp(memoryPorts({ accounts: [], triggers: [] }), { admission: full }))
  })
  afterAll(() => Promise.all(started.map(({ stop }) => stop())))
  const portOf = (index: 0 | 1): number => started[index]?.port ?? 0

  it.each(targets)('GET %s: headers that never end', async (target) => {
    const response = await sendRaw(portOf(0), `GET ${target} HTTP/1.1\r\nHost: localhost\r\n`)
    expect([response.status, response.complete, headerOf(response, 'Connection')]).toEqual([408, true, 'close'])
    expect(undocumented({ target }, response)).toEqual([])
  })

  const overloaded = (asked: RawRequest): Promise<RawResponse> => request(portOf(1), asked)

  it.each(ofOperations)('%s: more work than it takes at once', async (target) => {
    const response = await overloaded({ method: 'GET', target })
    expect([response.status, response.complete]).toEqual([503, true])
    expect(undocumented({ target }, response)).toEqual([])
  })

  it('and promises that no load refuses a probe', async () => {
    const probes = targets.filter((target) => !ofOperations.includes(target))
    expect(probes).toHaveLength(2)
    for (const target of probes) {
      expect((await overloaded({ method: 'GET', target })).status).toBe(200)
      expect(undocumented({ target }, await overloaded({ method: 'GET', target: '/elsewhere' }))).not.toEqual([])
    }
  })
})
