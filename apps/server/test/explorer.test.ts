import { headerOf, memoryPorts, type RawResponse, request } from '@canopy/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { explorerPages } from '../src/explorer.js'
import type { RunningServer } from '../src/http/listen.js'
import { startApp } from './startApp.js'

const nothing = { accounts: [], triggers: [] }

const addressesIn = (html: string): ReadonlyArray<string> =>
  [...html.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address = '']) => address)

describe('the explorer', () => {
  let service: RunningServer
  let without: RunningServer
  beforeAll(async () => {
    service = await startApp(memoryPorts(nothing), { pages: [explorerPages()] })
    without = await startApp(memoryPorts(nothing))
  })
  afterAll(() => Promise.all([service.stop(), without.stop()]))

  const ask = (target: string, method = 'GET', headers: ReadonlyArray<readonly [string, string]> = []) =>
    request(service.port, { method, target, headers: [['Host', 'localhost'], ...headers] })

  const html = async (target: string): Promise<string> => (await ask(target)).body.toString()

  it.each(['/', '/browse', '/browse/', '/browse/id/42/photos/a%2Fb', '/browse/peek', '/browse/none', '/browse//x/'])(
    'is itself at %s, with no redirect, and its files are there under any prefix',
    async (target) => {
      const answer = await ask(target)
      expect([answer.status, headerOf(answer, 'Content-Type')]).toEqual([200, 'text/html; charset=utf-8'])
      const addresses = addressesIn(answer.body.toString())
      expect(addresses.length).toBeGreaterThan(2)
      for (const address of addresses) {
        const { pathname } = new URL(address, `http://localhost/some/prefix${target}`)
        expect(pathname).toMatch(/^\/some\/prefix\/explorer\/[\w-]+\.\w+$/)
        expect((await ask(pathname.replace('/some/prefix', ''))).status).toBe(200)
      }
    },
  )

  it('has files with exact types and hashed names, which may be kept for ever', async () => {
    const types = { js: 'text/javascript; charset=utf-8', css: 'text/css; charset=utf-8', svg: 'image/svg+xml' }
    const seen = new Set<string>()
    for (const address of addressesIn(await html('/'))) {
      const answer = await ask(address.slice(1))
      const type = address.split('.').at(-1) as keyof typeof types
      seen.add(type)
      expect(headerOf(answer, 'Content-Type')).toBe(types[type])
      expect(headerOf(answer, 'Cache-Control')).toBe('public, max-age=31536000, immutable')
      expect(headerOf(answer, 'X-Content-Type-Options')).toBe('nosniff')
      expect(address).toMatch(/-[\w-]{8}\.\w+$/)
    }
    expect(seen).toEqual(new Set(Object.keys(types)))
  })

  it('is asked for each time, and not sent again while it is the same', async () => {
    const first = await ask('/browse/id/1')
    expect(headerOf(first, 'Cache-Control')).toBe('public, no-cache')
    const again = await ask('/browse/id/1', 'GET', [['If-None-Match', headerOf(first, 'ETag') ?? '']])
    expect([again.status, again.body.length]).toEqual([304, 0])
  })

  it('allows nothing inline, from elsewhere or by eval, and no frame', async () => {
    const answer = await ask('/browse/id/1')
    const policy = headerOf(answer, 'Content-Security-Policy') ?? ''
    expect(policy.split('; ')).toEqual(expect.arrayContaining(["default-src 'none'", "frame-ancestors 'none'"]))
    expect(policy).not.toMatch(/unsafe|https?:|data:|\*/)
    expect(headerOf(answer, 'X-Frame-Options')).toBe('DENY')
    expect(answer.body.toString()).not.toMatch(/<style|style=|\son\w+=|javascript:|<script>/)
  })

  it('is read only', async () => {
    const head: RawResponse = await ask('/', 'HEAD')
    expect([head.status, head.body.length]).toEqual([200, 0])
    const answer = await ask('/browse', 'POST')
    expect([answer.status, headerOf(answer, 'Allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
  })

  it.each([
    '/browser',
    '/explorer',
    '/explorer/',
    '/explorer/index.html',
    '/explorer/..%2findex.html',
    '/index.html',
    '/BROWSE',
  ])('is a closed list: %s is no route', async (target) => {
    const answer = await ask(target)
    expect([answer.status, answer.body.toString()]).toEqual([404, '{"type":"error","error":"no such route"}'])
  })

  it.each(['/', '/browse', '/browse/id/1', '/explorer/index.js'])(
    'is not there where it is left out: %s',
    async (target) => {
      const answer = await request(without.port, { method: 'GET', target, headers: [['Host', 'localhost']] })
      expect([answer.status, answer.body.toString()]).toEqual([404, '{"type":"error","error":"no such route"}'])
    },
  )
})
