import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { dir, file, files, worldWith } from '@canopy/test-support'
import { memoryPorts } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it } from 'vitest'
import type { RunningServer } from '../src/http/listen.js'
import { failedLookups, noProxies, trustedProxies } from '../src/limits/failedLookups.js'
import { breakingListing } from './breakingListing.js'
import { logged } from './logs.js'
import { servedApps } from './servedApps.js'

const ports = memoryPorts(worldWith([dir('few', file('1')), dir('many', ...files(20_000))]))

const listing = '/api/usercontent/v1/diritems/id/1/few'
const largeTree = '/api/usercontent/v1/tree/id/1/many'
const envelope = '{"type":"error","error":"bad request"}'
const get = (target: string, ...headers: ReadonlyArray<string>): string =>
  [`GET ${target} HTTP/1.1`, 'Host: localhost', ...headers, '', ''].join('\r\n')
const lastGet = (target: string, ...headers: ReadonlyArray<string>): string =>
  get(target, 'Connection: close', ...headers)

describe('what few clients send', () => {
  const serve = servedApps()

  const opened = async ({ port }: RunningServer): Promise<readonly [Socket, () => string]> => {
    const socket = connect(port, '127.0.0.1')
    const chunks: Array<Buffer> = []
    socket.on('data', (chunk) => chunks.push(chunk))
    await once(socket, 'connect')
    return [socket, () => Buffer.concat(chunks).toString('latin1')]
  }

  /** All that is answered until the connection is closed. */
  const said = async (service: RunningServer, text: string): Promise<string> => {
    const [socket, heard] = await opened(service)
    socket.write(text)
    await once(socket, 'close')
    return heard()
  }

  const statusesIn = (text: string): ReadonlyArray<number> =>
    Array.from(text.matchAll(/HTTP\/1\.1 ([0-9]{3}) /g), ([, status]) => Number(status))

  describe('is no request', () => {
    it('and has the headers of every answer, a date, an id, and a line in the log', async () => {
      const { lines, log } = logged()
      const answer = await said(await serve(ports, { log }), 'no request\r\n\r\n')
      expect(statusesIn(answer)).toEqual([400])
      expect(answer).toContain('Referrer-Policy: no-referrer\r\n')
      expect(answer.endsWith(`\r\n\r\n${envelope}`)).toBe(true)
      expect(Math.abs(Date.parse(/^Date: (.*)\r$/m.exec(answer)?.[1] ?? '') - Date.now())).toBeLessThan(60_000)
      const id = /^X-Request-Id: (.*)\r$/m.exec(answer)?.[1]
      expect(id).toMatch(/^[0-9a-f-]{36}$/)
      expect(lines).toMatchObject([{ id, status: 400, error: 'bad request', code: 'HPE_INVALID_METHOD' }])
    })

    it('and comes after others: they are answered first, in their order', async () => {
      const answer = await said(await serve(ports), `${get(listing)}${get('/nowhere')}no request\r\n\r\n`)
      expect(statusesIn(answer)).toEqual([200, 404, 400])
      expect(answer.endsWith(envelope)).toBe(true)
    })

    it('and comes while an answer is on its way: that is finished first', async () => {
      const service = await serve(ports)
      const [socket, heard] = await opened(service)
      socket.write(get(largeTree))
      while (!heard().includes('\r\n\r\n')) await sleep(1)
      socket.pause()
      for (const part of ['no request\r\n\r\n', 'and more of it\r\n\r\n']) {
        socket.write(part)
        await sleep(50)
      }
      socket.resume()
      await once(socket, 'close')
      const [tree, rest] = heard().split('\r\n0\r\n\r\n')
      expect(statusesIn(tree ?? '')).toEqual([200])
      expect(statusesIn(rest ?? '')).toEqual([400])
      expect(rest?.endsWith(envelope)).toBe(true)
    })

    it('but the broken body of one that has its answer: there is no second answer', async () => {
      const answer = await said(await serve(ports), `${get(listing, 'Transfer-Encoding: chunked')}no chunk\r\n`)
      expect(statusesIn(answer)).toEqual([200])
    })
  })

  it('more than 100 headers are refused, so that none is overlooked', async () => {
    const proxies = E.getOrElse(() => noProxies)(trustedProxies('loopback'))
    const service = await serve(ports, { limitLookups: failedLookups({ perMinute: 1, trustedProxies: proxies }) })
    const fillers = (count: number) => Array.from({ length: count }, (_, at) => `X-${at}: x`)
    const wrong = (at: number, count: number) =>
      lastGet(
        '/api/triggers/v1/peek/no',
        `X-Forwarded-For: 192.0.2.${at}`,
        ...fillers(count),
        'X-Forwarded-For: 198.51.100.1',
      )
    expect(statusesIn(await said(service, wrong(1, 96)))).toEqual([404])
    expect(statusesIn(await said(service, wrong(2, 96)))).toEqual([429])
    expect(await said(service, wrong(3, 97))).toMatch(new RegExp(`^HTTP/1.1 431 [^]*${envelope}$`))
    expect(statusesIn(await said(service, lastGet(listing, ...fillers(150), 'Host: evil')))).toEqual([431])
  })

  it('the longest path there is, every byte of it escaped, is not too long', async () => {
    const path = Array.from({ length: 16 }, () => '%61'.repeat(255)).join('/')
    expect(statusesIn(await said(await serve(ports), lastGet(`/api/usercontent/v1/tree/id/2/${path}`)))).toEqual([403])
  })

  it('a head of more than 24 KiB is refused', async () => {
    const service = await serve(ports)
    const filled = (bytes: number) => lastGet(listing, `X-Filler: ${'x'.repeat(bytes)}`)
    expect(statusesIn(await said(service, filled(23 * 1024)))).toEqual([200])
    expect(await said(service, filled(25 * 1024))).toMatch(new RegExp(`^HTTP/1.1 431 [^]*${envelope}$`))
  })

  it('a host that is none is refused, also where an answer is kept', async () => {
    const service = await serve(ports)
    const from = (host: string) => `GET ${listing} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`
    expect(statusesIn(await said(service, from('localhost')))).toEqual([200])
    expect(statusesIn(await said(service, from('a b/@')))).toEqual([400])
  })

  it.each(['', 'TE: chunked\r\n', 'te: Chunked\r\n'])(
    'a large tree in HTTP/1.0 has no chunks, and ends with its connection, also with the header "%s"',
    async (header) => {
      const service = await serve(ports)
      const old = await said(service, `GET ${largeTree} HTTP/1.0\r\n${header}\r\n`)
      const [head = '', body = ''] = old.split('\r\n\r\n')
      expect(head).not.toContain('Transfer-Encoding')
      expect(JSON.parse(body).content.content).toHaveLength(20_000)
    },
  )

  it('a tree in HTTP/1.0 whose writing breaks half-way ends with a reset: a mere end would be that of the tree', async () => {
    // So many that some are sent before the others are found.
    const content = files(6144)
    const halves = memoryPorts(worldWith(['a', 'b'].map((name) => dir(name, ...content))))
    let fail = (): void => undefined
    const failed = new Promise<void>((resolve) => {
      fail = resolve
    })
    const list: typeof halves.list = (in_, path) => async () => {
      if (path !== '/b') return halves.list(in_, path)()
      await failed
      return E.right(breakingListing())
    }
    const [socket, heard] = await opened(await serve({ ...halves, list }))
    const closed = once(socket, 'close')
    socket.write('GET /api/usercontent/v1/tree/id/1 HTTP/1.0\r\n\r\n')
    await expect.poll(() => heard().split('"type":"file"').length).toBeGreaterThan(content.length / 2)
    // A reset that comes together with data is an end to a client of libuv.
    for (let before = -1; before < heard().length; await sleep(200)) before = heard().length
    fail()
    await expect(closed).rejects.toMatchObject({ code: 'ECONNRESET' })
  })

  it('an unknown expectation is answered as if it were not there', async () => {
    const { lines, log } = logged()
    const answer = await said(await serve(ports, { log }), lastGet(listing, 'Expect: the-unexpected'))
    expect(statusesIn(answer)).toEqual([200])
    expect(answer).toContain('X-Request-Id: ')
    expect(lines).toMatchObject([{ status: 200 }])
  })

  it('a condition holds, whatever the request says to caches', async () => {
    const service = await serve(ports)
    const conditional = lastGet(listing, 'If-None-Match: *', 'Cache-Control: no-cache', 'Pragma: no-cache')
    expect(statusesIn(await said(service, conditional))).toEqual([304])
  })

  it.each([
    ['a path', listing],
    ['a host', 'example.org:443'],
  ])('CONNECT to %s is answered, and the connection closed', async (_, target) => {
    const { lines, log } = logged()
    const answer = await said(await serve(ports, { log }), `CONNECT ${target} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    expect(statusesIn(answer)).toEqual([400])
    expect(answer).toContain('Connection: close\r\n')
    expect(lines).toMatchObject([{ msg: 'malformed request', code: 'CONNECT', status: 400 }])
  })

  it('a request that fails half-way through a pipeline leaves the others their answers', async () => {
    const failing = { ...ports, list: () => TE.left({ error: 'external', cause: 'broken' } as const) }
    const answer = await said(await serve(failing), `${get(listing)}${lastGet('/nowhere')}`)
    expect(statusesIn(answer)).toEqual([502, 404])
  })
})
