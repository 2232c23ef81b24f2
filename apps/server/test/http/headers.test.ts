import { EventEmitter } from 'node:events'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { dir, file, files, worldWith } from '@canopy/test-support'
import { headerOf, memoryPorts, sendRaw } from '@canopy/testkit'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { RequestContext } from '../../src/http/RequestContext.js'
import { Sender } from '../../src/http/send.js'
import { documentPage, webPages } from '../../src/webPages.js'
import { servedApps, serviceOfFile, withoutOwn } from '../inProcess.js'

const ports = memoryPorts(worldWith([dir('many', ...files(200)), dir('most', ...files(5000))]))

const listing = '/api/usercontent/v1/diritems/id/1/many'
const streamed = '/api/usercontent/v1/tree/id/1/most'

const serve = servedApps()
const service = serviceOfFile(ports)
const { ask } = service

it('an answer whose client has left gets no time limit', () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const sender = new Sender({ roomFor: () => true, maxDownloads: 0, answerMs: 1_000, origins: {} })
  const own = { destroyed: true, writableLength: 1, writeHead: () => undefined, end: () => undefined }
  const context = { request: { headers: {} }, response: Object.assign(new EventEmitter(), own) }
  const body = { is: 'bytes', bytes: Buffer.alloc(8_192), nodes: 0 } as const
  void sender.sendNew(context as unknown as RequestContext, { status: 200, headers: {}, body })
  expect(vi.getTimerCount()).toBe(0)
})

describe('the headers of an answer', () => {
  it('equal those of GET for a malformed HEAD, which gets no body', async () => {
    const unreadable = (method: string) =>
      sendRaw(service.port, `${method} / HTTP/1.1\r\nHost: localhost\r\nno colon\r\n\r\n`, method)
    const [ofGet, ofHead] = await Promise.all([unreadable('GET'), unreadable('HEAD')])
    expect(JSON.parse(String(ofGet.body))).toMatchObject({ type: 'error' })
    expect([ofHead.status, withoutOwn(ofHead), ofHead.complete]).toEqual([400, withoutOwn(ofGet), true])
  })

  it('let pages of other origins send any request header, for a day', async () => {
    const preflight = await ask(listing, {}, 'OPTIONS')
    const allowed = ['Allow-Origin', 'Allow-Methods', 'Allow-Headers', 'Max-Age'].map((what) =>
      headerOf(preflight, `Access-Control-${what}`),
    )
    expect([preflight.status, ...allowed]).toEqual([204, '*', 'GET, HEAD, OPTIONS', '*', `${24 * 60 * 60}`])
  })

  it.each([listing, '/api'])('are exposed to scripts of other origins: %s', async (target) => {
    const shown = headerOf(await ask(target), 'Access-Control-Expose-Headers')
    expect(shown?.split(', ')).toEqual(['Age', 'ETag', 'Link', 'Retry-After', 'X-Request-Id'])
  })

  it('have one weak entity tag for all codings, and 304 for each spelling of it', async () => {
    const answers = await Promise.all(
      ['identity', 'br', 'gzip'].map((each) => ask(listing, { 'Accept-Encoding': each })),
    )
    const [etag = '', ...others] = new Set(answers.map((answer) => headerOf(answer, 'ETag')))
    expect([etag, others]).toEqual([expect.stringMatching(/^W\/"[\w-]{22}"$/), []])
    for (const sent of [etag, etag.replace('W/', ''), `"other", ${etag}`, '*']) {
      const reloading = { 'Cache-Control': 'no-cache', Pragma: 'no-cache' }
      const again = await ask(listing, { 'If-None-Match': sent, 'Accept-Encoding': 'br', ...reloading })
      expect([again.status, again.body.length, headerOf(again, 'Content-Encoding')]).toEqual([304, 0, undefined])
      const said = ['ETag', 'Cache-Control', 'Vary'].map((name) => headerOf(again, name))
      expect(said).toEqual([etag, 'public, no-cache', 'Accept-Encoding'])
    }
  })

  it.each(['diritems', 'tree'])('have an entity tag of the whole body, to its last node: %s', async (lookup) => {
    const tagOf = async (last: string) => {
      const other = await serve(memoryPorts(worldWith([...files(1_000), file(last)])))
      return headerOf(await other.ask(`/api/usercontent/v1/${lookup}/id/1`), 'ETag')
    }
    const [one, same, another] = await Promise.all(['z1', 'z1', 'z2'].map(tagOf))
    expect([one, same === one, another === one]).toEqual([expect.stringMatching(/^W/), true, false])
  })
})

describe('a service with CANOPY_LOOPBACK_ONLY=on', () => {
  const pages = [documentPage, webPages(true, '')]
  const closed = serviceOfFile(ports, { loopbackOnly: true, pages, files: { maxDownloads: 1 } })
  const askAs = (host: string, target = listing) => closed.ask(target, { Host: host })

  it.each(['127.0.0.1:8080', '[::1]', 'LOCALHOST'])('responds to the host %s', async (host) => {
    expect((await askAs(host)).status).toBe(200)
  })

  it.each([listing, '/', '/healthz', '/openapi.json'])('refuses another host at %s', async (target) => {
    expect((await askAs('example.org', target)).status).toBe(400)
  })

  const content = '/files/id/1/many/file%200'

  it.each([listing, `${listing}/none`, '/', '/no/such/route', content])('closes %s', async (target) => {
    const response = await askAs('127.0.0.1', target)
    expect(headerOf(response, 'Cross-Origin-Resource-Policy')).toBe('same-origin')
    expect(response.headers.filter(([name]) => name.startsWith('Access-Control'))).toEqual([])
  })

  it('closes the response to a malformed request', async () => {
    const { status, headers } = await sendRaw(closed.port, 'GET / HTTP/1.1\r\nno colon\r\n\r\n', 'GET')
    expect([status, headers.filter(([name]) => name.startsWith('Access-Control'))]).toEqual([400, []])
  })
})

describe('compression', () => {
  const decoders = { br: brotliDecompressSync, gzip: gunzipSync }

  it.each([
    ['br', listing, 'Accept-Encoding'],
    ['gzip', listing, 'Accept-Encoding'],
    ['br', streamed, 'Accept-Encoding, Accept'],
    ['gzip', streamed, 'Accept-Encoding, Accept'],
  ] as const)('by %s of %s gives the same JSON, and HEAD the headers of GET', async (encoding, target, vary) => {
    const [plain, compressed] = [await ask(target), await ask(target, { 'Accept-Encoding': encoding })]
    expect([plain, compressed].map(({ complete }) => complete)).toEqual([true, true])
    expect([plain, compressed].map((each) => headerOf(each, 'Content-Encoding'))).toEqual([undefined, encoding])
    expect([plain, compressed].map((each) => headerOf(each, 'Vary'))).toEqual([vary, vary])
    expect(decoders[encoding](compressed.body).equals(plain.body)).toBe(true)
    expect(compressed.body.length).toBeLessThan(plain.body.length / 4)
    const head = await ask(target, { 'Accept-Encoding': encoding }, 'HEAD')
    expect([head.status, head.body.length, withoutOwn(head)]).toEqual([200, 0, withoutOwn(compressed)])
  })

  it.each([
    ['', undefined],
    ['deflate', undefined],
    ['br;q=0, gzip;q=0', undefined],
    ['gzip;q=0.5, br;q=0.9', 'br'],
    ['gzip, br;q=0.1', 'gzip'],
    ['BR;Q=0, GZip;Q=0.5', 'gzip'],
    ['*;Q=0', undefined],
    ['IDENTITY;Q=0, GZIP', 'gzip'],
  ])('for Accept-Encoding "%s" is %s', async (accepted, encoding) => {
    expect(headerOf(await ask(listing, { 'Accept-Encoding': accepted }), 'Content-Encoding')).toBe(encoding)
  })
})
