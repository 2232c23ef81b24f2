import { once } from 'node:events'
import type { RequestListener, ServerResponse } from 'node:http'
import { networkInterfaces } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { cannotListen } from '../../src/http/listen.js'
import { done, get, type Opened, serving } from './connecting.js'

const serve = serving()
const toConnect = 'CONNECT a:1 HTTP/1.1\r\nHost: x\r\n\r\n'

describe('a connection on which nothing moves', () => {
  it('is closed after its time, which its answers say', async () => {
    const { open } = await serve(done, { idleMs: 1_000 })
    const { socket, ended } = open()
    socket.write(get('/'))
    expect(await ended()).toMatch(/\r\nKeep-Alive: timeout=1\r\n/)
  })

  it.each([0, 1])('is not closed while an answer is made, with %i requests before it', async (before) => {
    const { open } = await serve((_, response) => void setTimeout(() => response.end('made'), 600), { idleMs: 200 })
    const { socket, ended } = open()
    socket.write(get('/').repeat(before) + get('/', 'Connection: close\r\n'))
    expect((await ended()).match(/made/g)).toHaveLength(before + 1)
  })

  it.each([1, 2])(
    'is reset where an answer is on its way: to HTTP/1.0 its end would be the end of the body (the first of %i)',
    async (requests) => {
      const { open } = await serve(
        (_, response) => {
          response.writeHead(200, { Connection: 'close' })
          response.write('half')
        },
        { idleMs: 200 },
      )
      const { socket, ended } = open()
      socket.write('GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n'.repeat(requests))
      await expect(ended()).rejects.toThrow('ECONNRESET')
    },
  )
})

describe('the limit of connections', () => {
  it('closes what comes beyond it, and accepts new ones when old ones are gone', async () => {
    const { open, status } = await serve(done, { maxConnections: 2 })
    const [first, , third] = [open(), open(), open()]
    await once(third.socket, 'close')
    first.socket.destroy()
    await expect.poll(status).toBe(200)
  })
})

/** More than the buffers of a connection hold. */
const large = 'x'.repeat(8_000_000)

describe('a request that does not come in time', () => {
  const serveEarly = async (handler: RequestListener, arrivalMs: number) => {
    const codes: Array<string | undefined> = []
    return { codes, ...(await serve(handler, { arrivalMs, onMalformed: (_, __, code) => codes.push(code) })) }
  }

  it('is answered with 408, and reported', async () => {
    const { open, codes } = await serveEarly(done, 100)
    const { socket, ended } = open()
    socket.write('GET / HTTP/1.1\r\n')
    expect(await ended()).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\nConnection: close\r\n/)
    expect(codes).toEqual(['ERR_HTTP_REQUEST_TIMEOUT'])
  })

  it('is not answered twice where its head has its answer: the connection ends behind that', async () => {
    const { open, codes } = await serveEarly(done, 100)
    const { socket, ended } = open()
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n')
    const more = setInterval(() => socket.write('x'), 50)
    expect(await ended()).toMatch(/^HTTP\/1\.1 200 OK.*done$/s)
    clearInterval(more)
    expect(codes).toEqual([])
  })

  it('is waited for behind an answer that is not read', async () => {
    const handler: RequestListener = ({ url = '' }, response) => void response.end(url === '/large' ? large : `${url};`)
    const { open } = await serveEarly(handler, 500)
    const { socket, heard } = open({ paused: true })
    socket.write(get('/large') + get('/small') + get('/late').slice(0, 20))
    await sleep(100)
    socket.write(get('/late').slice(20))
    await sleep(1_500)
    socket.resume()
    await expect.poll(() => heard().slice(-6)).toBe('/late;')
  })
})

describe('a connection that asked for CONNECT', () => {
  const most = 3

  it.each([
    ['though its client never closes it', '', () => undefined],
    ['when its client has sent more, and gone', 'x'.repeat(100_000), ({ socket }: Opened) => void socket.destroy()],
  ])('does not hold its place, %s', async (_, more, leave) => {
    const { open, status } = await serve(done, { maxConnections: most })
    const opened = Array.from({ length: most }, () => open({ allowHalfOpen: true }))
    for (const { socket } of opened) {
      socket.write(`${toConnect}${more}`)
      await once(socket, 'data')
    }
    opened.forEach(leave)
    await expect.poll(status, { timeout: 10_000 }).toBe(200)
  })

  it('does not hold its place when its client has gone while requests before it wait', async () => {
    const handler: RequestListener = ({ url }, response) => void (url === '/' && response.end())
    const { open, status } = await serve(handler, { maxConnections: most })
    const opened = Array.from({ length: most }, () => open().socket)
    for (const socket of opened) socket.write(`${get('/never')}${get('/waits')}${toConnect}`)
    await sleep(100)
    expect(await status()).toBe(0)
    for (const socket of opened) socket.end()
    await expect.poll(status, { timeout: 5_000 }).toBe(200)
  })

  it('does not hold its place when its client does not read what it asked for before', async () => {
    const handler: RequestListener = ({ url }, response) => void response.end(url === '/' ? '' : large)
    const { open, status } = await serve(handler, { maxConnections: most, idleMs: 300 })
    for (const { socket } of Array.from({ length: most }, () => open({ paused: true })))
      socket.write(`${get('/large')}${toConnect}`)
    await sleep(100)
    expect(await status()).toBe(0)
    await expect.poll(status, { timeout: 5_000 }).toBe(200)
  })

  it.each([
    [1, 0],
    [2, 0],
    [2, 20],
  ])('has its answer after those to the %i requests before it, which take %i ms', async (count, ms) => {
    const { open, status } = await serve(({ url, method }, response) => {
      const answer = () => void response.end(`${method} ${url};`)
      if (ms === 0) answer()
      else setTimeout(answer, ms)
    })
    const targets = ['/0', '/1'].slice(0, count)
    const { socket, ended } = open()
    socket.write(targets.map((path) => get(path)).join('') + toConnect)
    const answered = await ended()
    expect(answered.match(/GET [^;]*(?=;)/g)).toEqual(targets.map((path) => `GET ${path}`))
    expect(answered).toMatch(
      /HTTP\/1\.1 400 Bad Request\r\nConnection: close\r\n.*\{"type":"error","error":"bad request"\}$/s,
    )
    expect(await status()).toBe(200)
  })
})

describe('a connection behind its last answer', () => {
  const body = 'x'.repeat(1_000_000)

  const serveLarge = () =>
    serve(({ url }, response) => {
      if (url === '/last') response.setHeader('Connection', 'close')
      response.end(body)
    })

  /** All that comes, read late: by then the server has heard what else was said. */
  const readLate = async ({ socket, ended }: Opened) => {
    await sleep(300)
    socket.resume()
    return ended()
  }

  const answersIn = (received: string): number => received.split('HTTP/1.1 200').length - 1

  it.each([
    ['what the client still sends', get('/last'), 3, `${get('/more')}${'y'.repeat(1000)}`, /x$/],
    ['what is no request', 'no request\r\n\r\n', 2, 'more of it\r\n\r\n', /HTTP\/1\.1 400/],
  ])('is not reset by %s: all answers arrive', async (_, last, answers, more, ending) => {
    const { open } = await serveLarge()
    const opened = open({ paused: true })
    opened.socket.write(get('/0') + get('/1') + last)
    await sleep(100)
    for (const __ of Array(20)) opened.socket.write(more)
    const received = await readLate(opened)
    expect(answersIn(received)).toBe(answers)
    expect(received.length).toBeGreaterThan(answers * body.length)
    expect(received).toMatch(ending)
  })

  it('is not reset by a stop: a client that reads late has the answers that were made', async () => {
    const { open, stop } = await serveLarge()
    const opened = open({ paused: true })
    for (const n of [0, 1, 2]) opened.socket.write(get(`/${n}`))
    await sleep(50)
    const stopped = stop({ drainMs: 0, quietMs: 50, stopMs: 10_000 })
    for (const n of Array(20).keys()) opened.socket.write(get(`/${n}`))
    const received = await readLate(opened)
    expect(received.split(body).length - 1).toBe(answersIn(received))
    expect(answersIn(received)).toBeGreaterThan(0)
    expect(await stopped).toBe(0)
  })

  it('is that of a request for another protocol: Node would begin anywhere in what follows', async () => {
    const asked: Array<string> = []
    const { open } = await serve(({ url = '' }, response) => {
      asked.push(url)
      response.end('in this one')
    })
    const opened = open({ paused: true })
    const upgrade = get('/upgrade', 'Upgrade: h2c\r\nConnection: Upgrade\r\n')
    opened.socket.write(`${upgrade}${get('/behind').slice(0, -2)}X-Padding: `)
    await sleep(50)
    opened.socket.write(`${get('/smuggled')}\r\n`)
    expect(await readLate(opened)).toMatch(/Connection: close.*in this one/s)
    expect(asked).toEqual(['/upgrade'])
  })

  it('is that of CONNECT: a stream before it goes on, and all of it arrives', async () => {
    const { open } = await serve((_, response) => {
      response.writeHead(200, { 'Content-Length': 20 * body.length })
      const write = (left: number): void => {
        if (left === 0) return void response.end()
        if (response.write(body)) write(left - 1)
        else response.once('drain', () => write(left - 1))
      }
      write(20)
    })
    const opened = open({ paused: true })
    opened.socket.write(`${get('/stream')}${toConnect}`)
    expect((await readLate(opened)).length).toBeGreaterThan(20 * body.length)
  })
})

describe('requests that come at once on one connection', () => {
  const asked = async () => {
    const begun: Array<string> = []
    const { open, status } = await serve(({ url = '' }, response) => {
      if (url !== '/') begun.push(url)
      response.end(url === '/' ? '' : large)
    })
    const { socket, heard } = open({ paused: true })
    for (const n of Array(20).keys()) socket.write(get(`/${n}`))
    await expect.poll(() => begun.length).toBeGreaterThan(0)
    /** Until whatever the server could do has been done. */
    const settled = async () => {
      for (const _ of Array(3)) await status()
    }
    return { begun, socket, heard, settled }
  }

  it('are begun one after the other, each when the one before has been read', async () => {
    const { begun, socket, heard, settled } = await asked()
    await settled()
    expect(begun).toEqual(['/0'])
    socket.resume()
    await expect.poll(() => heard().length, { timeout: 20_000 }).toBeGreaterThan(20 * large.length)
    expect(begun).toEqual(Array.from({ length: 20 }, (_, n) => `/${n}`))
    socket.write(get('/last'))
    await expect.poll(() => begun.at(-1)).toBe('/last')
  })

  it('are not begun once the connection is gone', async () => {
    const { begun, socket, settled } = await asked()
    const closed = once(socket, 'close')
    socket.destroy()
    await closed
    await settled()
    expect(begun).toEqual(['/0'])
  })

  it.each([
    ['at once', (answer: () => unknown) => void answer()],
    ['later', (answer: () => unknown) => void setTimeout(answer, 20)],
  ])('are not begun behind an answer after which the connection ends, and which comes %s', async (_, soon) => {
    const begun: Array<string> = []
    const { open } = await serve(({ url = '' }, response) => {
      begun.push(url)
      soon(() => response.setHeader('Connection', 'close').end('last'))
    })
    const { socket, ended } = open()
    socket.write(get('/0') + get('/1') + get('/2'))
    expect(await ended()).toContain('last')
    await sleep(50)
    expect(begun).toEqual(['/0'])
  })

  it('are answered in their order, however many there are, and leak nothing', async () => {
    const warned: Array<string> = []
    const hear = ({ name }: Error) => void warned.push(name)
    process.on('warning', hear)
    const urls = Array.from(Array(200).keys(), (n) => `/${n}`)
    const { open } = await serve(({ url }, response) => {
      for (const _ of Array(5)) response.once('close', () => undefined)
      setTimeout(() => response.end(`${url};`))
    })
    const { socket, heard } = open()
    socket.write(urls.map((url) => get(url)).join(''))
    await expect.poll(heard, { timeout: 10_000 }).toContain('/199;')
    process.off('warning', hear)
    expect(heard().match(/\/\w+(?=;)/g)).toEqual(urls)
    expect(warned).toEqual([])
  })

  it('are 257 at most: a connection that sends more is reset', async () => {
    const begun: Array<ServerResponse> = []
    const { open } = await serve((_, response) => void begun.push(response))
    const [modest, greedy] = [open().socket, open().socket]
    modest.write(get('/').repeat(257))
    greedy.write(get('/').repeat(2_000))
    await expect.poll(() => greedy.closed, { timeout: 5_000 }).toBe(true)
    await expect.poll(() => begun.length).toBe(2)
    expect(modest.closed).toBe(false)
  })
})

describe('where a server listens', () => {
  const hasIpv6 = Object.values(networkInterfaces()).some((of) => of?.some(({ address }) => address === '::1'))

  it.runIf(hasIpv6)('is in its URL, an address of IPv6 in brackets', async () => {
    const { url, port } = await serve(done, { host: '::1' })
    const answer = await fetch(url, { headers: { Connection: 'close' } })
    expect([url, await answer.text()]).toEqual([`http://[::1]:${port}`, 'done'])
  })

  it.each([
    ['EADDRINUSE', 'listen EADDRINUSE: choose another CANOPY_METRICS_PORT'],
    ['EACCES', 'listen EACCES: choose another CANOPY_METRICS_PORT'],
    ['EADDRNOTAVAIL', 'listen EADDRNOTAVAIL: CANOPY_METRICS_HOST must be an address of this machine'],
    ['EMFILE', 'listen EMFILE'],
    [undefined, 'listen undefined'],
  ])('is to be changed after %s by the variable that is named, where there is one', (code, said) => {
    const whyNot = cannotListen({ host: '::1', port: 9464 }, 'CANOPY_METRICS')
    expect(whyNot(Object.assign(new Error(`listen ${code}`), { code }))).toBe(`cannot listen on ::1:9464: ${said}`)
  })
})
