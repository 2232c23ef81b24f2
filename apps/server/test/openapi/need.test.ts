import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { headerOf, type RawRequest, type RawResponse, request, sendRaw } from '@canopy/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { answerMalformed } from '../../src/connection/answerMalformed.js'
import { connectionOptions } from '../../src/connection/connectionLimits.js'
import { shed } from '../../src/defence/shed.js'
import { isProbe } from '../../src/observe/health.js'
import { undocumented } from './documented.js'
import { openApi } from './openApi.js'
import { targetOf } from './targetOf.js'

const targets = Object.keys(openApi.paths).map(targetOf)
const ofOperations = targets.filter((target) => target.startsWith('/api/'))

const started = async (server: Server): Promise<number> => {
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return (server.address() as AddressInfo).port
}

describe('the document describes what a server in need answers', () => {
  const unheard = createServer({ ...connectionOptions, headersTimeout: 50, connectionsCheckingInterval: 10 })
  unheard.on(
    'clientError',
    answerMalformed(() => undefined),
  )
  const overloaded = createServer(
    shed(async (_, response) => void response.end(), {
      maxInFlight: 0,
      maxDelayMs: 1_000,
      exempt: isProbe,
      onShed: () => undefined,
      onInFlight: () => undefined,
    }),
  )
  const ports = { unheard: 0, overloaded: 0 }
  beforeAll(async () => {
    ports.unheard = await started(unheard)
    ports.overloaded = await started(overloaded)
  })
  afterAll(() => {
    for (const server of [unheard, overloaded]) server.close()
  })

  it.each(targets)('GET %s: headers that never end', async (target) => {
    const response = await sendRaw(ports.unheard, `GET ${target} HTTP/1.1\r\nHost: localhost\r\n`)
    expect([response.status, response.complete, headerOf(response, 'Connection')]).toEqual([408, true, 'close'])
    expect(undocumented({ target }, response)).toEqual([])
  })

  const shedding = (asked: RawRequest): Promise<RawResponse> => request(ports.overloaded, asked)

  it.each(ofOperations)('%s: more work than it takes at once', async (target) => {
    const response = await shedding({ method: 'GET', target })
    expect([response.status, response.complete]).toEqual([503, true])
    expect(undocumented({ target }, response)).toEqual([])
  })

  it('and promises that no load refuses a probe', async () => {
    const probes = targets.filter((target) => !ofOperations.includes(target))
    expect(probes).toHaveLength(2)
    for (const target of probes) {
      expect((await shedding({ method: 'GET', target })).status).toBe(200)
      expect(undocumented({ target }, await shedding({ method: 'GET', target: '/elsewhere' }))).not.toEqual([])
    }
  })
})
