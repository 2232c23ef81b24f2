import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { headerOf, memoryPorts, type RawResponse, request } from '@canopy/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RunningServer } from '../src/http/listen.js'
import { json as documentText } from '../src/openapi/openapi.yaml.js'
import { documentPage, webPages } from '../src/webPages.js'
import { startApp } from './startApp.js'

const nothing = { accounts: [], triggers: [] }

const addressesIn = (html: string): ReadonlyArray<string> =>
  [...html.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address = '']) => address)

describe('the web pages', () => {
  let service: RunningServer
  let without: RunningServer
  beforeAll(async () => {
    service = await startApp(memoryPorts(nothing), { pages: [documentPage, webPages(true, '')] })
    without = await startApp(memoryPorts(nothing), { pages: [webPages(false, '')] })
  })
  afterAll(() => Promise.all([service.stop(), without.stop()]))

  const ask = (target: string, method = 'GET', headers: ReadonlyArray<readonly [string, string]> = []) =>
    request(service.port, { method, target, headers: [['Host', 'localhost'], ...headers] })

  const html = async (target: string): Promise<string> => (await ask(target)).body.toString()

  it.each([
    '/',
    '/browse',
    '/browse/',
    '/browse/id/42/photos/a%2Fb',
    '/browse/peek',
    '/browse/none',
    '/browse//x/',
    '/docs',
    '/docs/',
  ])('are there at %s, with no redirect, and their files under any prefix', async (target) => {
    const answer = await ask(target)
    expect([answer.status, headerOf(answer, 'Content-Type')]).toEqual([200, 'text/html; charset=utf-8'])
    const addresses = addressesIn(answer.body.toString())
    expect(addresses.length).toBeGreaterThan(2)
    for (const address of addresses) {
      const { pathname } = new URL(address, `http://localhost/some/prefix${target}`)
      expect(pathname).toMatch(/^\/some\/prefix\/assets\/[\w-]+\.\w+$/)
      expect((await ask(pathname.replace('/some/prefix', ''))).status).toBe(200)
    }
  })

  it('have files with exact types and hashed names, which may be cached for ever', async () => {
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

  it('have files that were compressed as hard as it goes when they were built', async () => {
    for (const target of ['/', '/docs'])
      for (const address of addressesIn(await html(target)).filter((each) => /js$|css$/.test(each))) {
        const path = address.slice(1)
        const plain = (await ask(path)).body
        for (const [encoding, compressed, back] of [
          ['br', brotliCompressSync(plain), brotliDecompressSync],
          ['gzip', gzipSync(plain, { level: 9 }), gunzipSync],
        ] as const) {
          const answer = await ask(path, 'GET', [['Accept-Encoding', encoding]])
          expect([address, headerOf(answer, 'Content-Encoding')]).toEqual([address, encoding])
          expect(back(answer.body).equals(plain)).toBe(true)
          expect(answer.body.length).toBe(compressed.length)
        }
      }
  })

  it('have the description of the service beside them, for pages of any origin', async () => {
    const answer = await ask('/openapi.json')
    expect([answer.status, headerOf(answer, 'Content-Type')]).toEqual([200, 'application/json; charset=utf-8'])
    expect(answer.body.toString()).toBe(documentText)
    expect(headerOf(answer, 'X-Content-Type-Options')).toBe('nosniff')
    expect(headerOf(answer, 'Access-Control-Allow-Origin')).toBe('*')
  })

  describe.each(['/browse/id/1', '/docs', '/openapi.json'])('at %s', (target) => {
    it('are asked for each time, and not sent again while they are the same', async () => {
      const first = await ask(target)
      const tag = headerOf(first, 'ETag') ?? ''
      expect(headerOf(first, 'Cache-Control')).toBe('public, no-cache')
      const again = await ask(target, 'GET', [['If-None-Match', tag]])
      expect([again.status, again.body.length, headerOf(again, 'ETag')]).toEqual([304, 0, tag])
    })

    it('are read only, and have the headers of GET when HEAD is asked', async () => {
      const [got, head] = [await ask(target), await ask(target, 'HEAD')]
      const headers = (of: RawResponse) => of.headers.filter(([name]) => name !== 'Date' && name !== 'X-Request-Id')
      expect([head.status, headers(head), head.body.length]).toEqual([200, headers(got), 0])
      for (const method of ['POST', 'PUT', 'DELETE', 'PROPFIND', 'OPTIONS']) {
        const answer = await ask(target, method)
        const [status, body] = method === 'OPTIONS' ? [204, ''] : [405, '{"type":"error","error":"method not allowed"}']
        expect([answer.status, answer.body.toString()]).toEqual([status, body])
        expect(headerOf(answer, 'Allow')).toBe('GET, HEAD, OPTIONS')
      }
    })
  })

  it.each(['/browse/id/1', '/docs'])(
    'allow nothing inline, from elsewhere or by eval, and no frame: %s',
    async (target) => {
      const answer = await ask(target)
      const policy = headerOf(answer, 'Content-Security-Policy') ?? ''
      expect(policy.split('; ')).toEqual(expect.arrayContaining(["default-src 'none'", "frame-ancestors 'none'"]))
      expect(policy).not.toMatch(/unsafe|https?:|data:|\*/)
      expect(headerOf(answer, 'X-Frame-Options')).toBe('DENY')
      expect(answer.body.toString()).not.toMatch(/<style|style=|\son\w+=|javascript:|<script>/)
    },
  )

  it.each([
    '/browser',
    '/assets',
    '/assets/',
    '/assets/index.html',
    '/assets/..%2findex.html',
    '/index.html',
    '/docs.html',
    '/docs/index.html',
    '/docs//',
    '/DOCS',
    '/BROWSE',
    '/openapi.json/',
    '/openapi.yaml',
  ])('are a closed list: %s is no route', async (target) => {
    const answer = await ask(target)
    expect([answer.status, answer.body.toString()]).toEqual([404, '{"type":"error","error":"no such route"}'])
  })

  it.each(['/', '/browse', '/browse/id/1'])('are without the explorer where it is left out: %s', async (target) => {
    const answer = await request(without.port, { method: 'GET', target, headers: [['Host', 'localhost']] })
    expect([answer.status, answer.body.toString()]).toEqual([404, '{"type":"error","error":"no such route"}'])
    const docs = await request(without.port, { method: 'GET', target: '/docs', headers: [['Host', 'localhost']] })
    expect(docs.status).toBe(200)
  })
})
