import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { dir, file, token, worldWith } from '@canopy/test-support'
import { headerOf, memoryPorts } from '@canopy/testkit'
import { describe, expect, it } from 'vitest'
import { documentPage, webPages } from '../src/webPages.js'
import { serviceOfFile, withoutOwn } from './inProcess.js'
import { seedData, serverOver } from './startServer.js'

const addressesIn = (html: string) => [...html.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address = '']) => address)

const failure = (name: string): string => `{"type":"error","error":"${name}"}`

describe('the web pages', () => {
  const serviceWith = (hasExplorer: boolean) =>
    serviceOfFile(memoryPorts({ accounts: [], triggers: [] }), { pages: [documentPage, webPages(hasExplorer, '')] })
  const [{ ask }, without] = [serviceWith(true), serviceWith(false)]

  const types = { js: 'text/javascript; charset=utf-8', css: 'text/css; charset=utf-8', svg: 'image/svg+xml' }
  const cachedForGood = ['public, max-age=31536000, immutable', 'nosniff']

  const addresses = ['/', '/browse', '/browse/id/42/photos/a%2Fb', '/browse//x/', '/docs']

  it.each(addresses)('load with their files at %s, under any prefix', async (target) => {
    const answer = await ask(target)
    expect([answer.status, headerOf(answer, 'Content-Type')]).toEqual([200, 'text/html; charset=utf-8'])
    const seen = new Set<string>()
    for (const address of addressesIn(answer.body.toString())) {
      const { pathname } = new URL(address, `http://localhost/some/prefix${target}`)
      const [, path = '', type = ''] = /^\/some\/prefix(\/assets\/[\w-]+-[\w-]{8}\.(\w+))$/.exec(pathname) ?? []
      seen.add(type)
      const plain = await ask(path)
      const said = ['Content-Type', 'Cache-Control', 'X-Content-Type-Options'].map((name) => headerOf(plain, name))
      expect([plain.status, ...said]).toEqual([200, types[type as keyof typeof types], ...cachedForGood])
      // Small files are not compressed.
      if (type === 'svg' || plain.body.length < 1_024) continue
      for (const [encoding, back] of Object.entries({ br: brotliDecompressSync, gzip: gunzipSync })) {
        const compressed = await ask(path, { 'Accept-Encoding': encoding })
        expect([path, headerOf(compressed, 'Content-Encoding')]).toEqual([path, encoding])
        expect(back(compressed.body).equals(plain.body)).toBe(true)
      }
    }
    expect(seen).toEqual(new Set(Object.keys(types)))
  })

  it.each(['/browse/id/1', '/docs', '/openapi.json'])('are read-only and revalidated: %s', async (target) => {
    const [got, head] = [await ask(target), await ask(target, {}, 'HEAD')]
    expect([head.status, withoutOwn(head), head.body.length]).toEqual([200, withoutOwn(got), 0])
    const tag = headerOf(got, 'ETag') ?? ''
    expect(headerOf(got, 'Cache-Control')).toBe('public, no-cache')
    const again = await ask(target, { 'If-None-Match': tag })
    expect([again.status, again.body.length, headerOf(again, 'ETag')]).toEqual([304, 0, tag])
    for (const method of ['POST', 'OPTIONS']) {
      const answer = await ask(target, {}, method)
      const [status, body] = method === 'OPTIONS' ? [204, ''] : [405, failure('method not allowed')]
      expect([answer.status, answer.body.toString()]).toEqual([status, body])
      expect(headerOf(answer, 'Allow')).toBe('GET, HEAD, OPTIONS')
    }
  })

  it.each(['/browse/id/1', '/docs'])('allow no inline code, other origin, eval or frame: %s', async (target) => {
    const answer = await ask(target)
    const policy = headerOf(answer, 'Content-Security-Policy') ?? ''
    expect(policy.split('; ')).toEqual(expect.arrayContaining(["default-src 'none'", "frame-ancestors 'none'"]))
    expect(policy).not.toMatch(/unsafe|https?:|data:|\*/)
    expect(headerOf(answer, 'X-Frame-Options')).toBe('DENY')
    expect(answer.body.toString()).not.toMatch(/<style|style=|\son\w+=|javascript:|<script>/)
  })

  const excluded =
    '/browser /index.html /assets/index.html /assets/..%2findex.html /docs// /BROWSE /openapi.json/ /openapi.yaml'

  it.each(excluded.split(' '))('do not include %s', async (target) => {
    const answer = await ask(target)
    expect([answer.status, answer.body.toString()]).toEqual([404, failure('no such route')])
  })

  it('can be without the explorer', async () => {
    const statuses = ['/', '/browse/id/1', '/docs'].map(async (target) => (await without.ask(target)).status)
    expect(await Promise.all(statuses)).toEqual([404, 404, 200])
  })
})

const world = worldWith([dir('photos', file('a.txt'), file('b.txt'))])
const over = serverOver((data) => seedData(data, world), { CANOPY_BASE_PATH: '/our/files' })
const ask = (target: string) => over.server.get(target)

it.each([
  '/api/usercontent/v1/tree/id/1',
  '/api/usercontent/v1/diritems/id/1/photos?limit=1',
  `/api/storage/v1/tree/${token}/photos%2Fa.txt`,
  '/readyz?x',
  '/openapi.json',
  '/docs',
  '/browse/id/1/photos',
  '/',
  '',
])('with CANOPY_BASE_PATH, the service is only below it: %s', async (target) => {
  expect((await ask(`/our/files${target}`)).status).toBe(200)
  for (const prefix of ['', '/our', '/our/filesx', '/our/files2', '/Our/files', '/our%2Ffiles'])
    expect([prefix, (await ask(prefix + target || '/')).body.toString()]).toEqual([prefix, failure('no such route')])
})
