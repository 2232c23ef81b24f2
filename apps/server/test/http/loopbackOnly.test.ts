import { headerOf, request } from '@canopy/testkit'
import { describe, expect, it } from 'vitest'
import { canopy } from '../canopy.js'
import { serverOver } from '../startServer.js'

const target = '/api/usercontent/v1/diritems/id/1'

describe('with CANOPY_LOOPBACK_ONLY=on', () => {
  const over = serverOver((data) => canopy(data, 'demo'), { CANOPY_LOOPBACK_ONLY: 'on' })
  const ask = (host: string, path = target) => {
    const service = new URL(`http://127.0.0.1:${over.server.port}`)
    return request(service, { method: 'GET', target: path, headers: [['Host', host]] })
  }

  it.each(['127.0.0.1:8080', '[::1]', 'LOCALHOST'])('responds to the host %s', async (host) => {
    expect((await ask(host)).status).toBe(200)
  })

  it.each([target, '/', '/healthz', '/openapi.json'])('refuses another host at %s', async (path) => {
    expect((await ask('example.org', path)).status).toBe(400)
  })

  it.each([target, `${target}/diary`, '/', '/no/such/route'])('closes %s to other origins', async (path) => {
    const response = await ask('127.0.0.1', path)
    expect(headerOf(response, 'Cross-Origin-Resource-Policy')).toBe('same-origin')
    expect(headerOf(response, 'Access-Control-Allow-Origin')).toBeUndefined()
  })
})
