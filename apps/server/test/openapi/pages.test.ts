import { headerOf, memoryPorts, type RawResponse, request } from '@canopy/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RunningServer } from '../../src/http/listen.js'
import { documentText } from '../../src/openapi/pages.js'
import { startApp } from '../startApp.js'

const paths = ['/openapi.json']

const withoutRestless = ({ headers }: RawResponse) =>
  headers.filter(([name]) => !['Date', 'X-Request-Id'].includes(name))

describe('the description of the service', () => {
  let service: RunningServer

  beforeAll(async () => {
    service = await startApp(memoryPorts({ accounts: [], triggers: [] }))
  })
  afterAll(() => service.stop())

  const ask = (target: string, method = 'GET', headers: ReadonlyArray<readonly [string, string]> = []) =>
    request(service.port, { method, target, headers: [['Host', 'localhost'], ...headers] })

  it('is the document itself at /openapi.json, for pages of any origin', async () => {
    const answer = await ask('/openapi.json')
    expect([answer.status, headerOf(answer, 'Content-Type')]).toEqual([200, 'application/json; charset=utf-8'])
    expect(headerOf(answer, 'X-Content-Type-Options')).toBe('nosniff')
    expect(answer.body.toString()).toBe(documentText)
    expect(headerOf(answer, 'Access-Control-Allow-Origin')).toBe('*')
  })

  it.each(paths)('is asked again at %s, and not sent again while it is the same', async (path) => {
    const first = await ask(path)
    expect(headerOf(first, 'Cache-Control')).toBe('public, no-cache')
    const again = await ask(path, 'GET', [['If-None-Match', headerOf(first, 'ETag') ?? '']])
    expect([again.status, again.body.length, headerOf(again, 'ETag')]).toEqual([304, 0, headerOf(first, 'ETag')])
  })

  it.each(paths)('has the headers of GET at %s when HEAD is asked, and no body', async (path) => {
    const got = await ask(path)
    const head = await ask(path, 'HEAD')
    expect([head.status, withoutRestless(head), head.body.length]).toEqual([got.status, withoutRestless(got), 0])
  })

  it.each(paths)('cannot be changed at %s', async (path) => {
    for (const method of ['POST', 'PUT', 'DELETE', 'PROPFIND']) {
      const answer = await ask(path, method)
      expect([answer.status, answer.body.toString()]).toEqual([405, '{"type":"error","error":"method not allowed"}'])
      expect(headerOf(answer, 'Allow')).toBe('GET, HEAD, OPTIONS')
    }
    const options = await ask(path, 'OPTIONS')
    expect([options.status, headerOf(options, 'Allow')]).toEqual([204, 'GET, HEAD, OPTIONS'])
  })

  it.each(['/openapi.json/', '/openapi.yaml'])('is a closed list: %s is no route', async (path) => {
    const answer = await ask(path)
    expect([answer.status, answer.body.toString()]).toEqual([404, '{"type":"error","error":"no such route"}'])
  })
})
