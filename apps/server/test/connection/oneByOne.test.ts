import { once } from 'node:events'
import type { RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { request } from '@canopy/testkit'
import { describe, expect, it } from 'vitest'
import { listenings } from './listenings.js'

const many = 20

/** More than the buffers of a connection hold. */
const body = 'x'.repeat(8_000_000)

describe('requests that come at once on one connection', () => {
  const { serve: listen, open } = listenings(1_000)

  const serve = async (handler: RequestListener) => {
    const { port } = await listen(handler)
    return { port, socket: open(port) }
  }

  const asked = async () => {
    const begun: Array<string> = []
    const handler: RequestListener = ({ url = '' }, response) => {
      if (url !== '/other') begun.push(url)
      response.end(url === '/other' ? '' : body)
    }
    const { port, socket } = await serve(handler)
    socket.pause()
    for (const n of Array(many).keys()) socket.write(`GET /${n} HTTP/1.1\r\nHost: x\r\n\r\n`)
    await expect.poll(() => begun.length).toBeGreaterThan(0)
    /** Until whatever the server could do has been done. */
    const settled = async () => {
      for (const _ of Array(3)) await request(port, { method: 'GET', target: '/other' })
    }
    return { begun, socket, settled }
  }

  it('are begun one after the other, each when the one before has been read', async () => {
    const { begun, socket, settled } = await asked()
    await settled()
    expect(begun).toEqual(['/0'])
    let received = 0
    socket.on('data', ({ length }) => {
      received += length
    })
    socket.resume()
    await expect.poll(() => received, { timeout: 20_000 }).toBeGreaterThan(many * body.length)
    expect(begun).toEqual(Array.from({ length: many }, (_, n) => `/${n}`))
    socket.write('GET /last HTTP/1.1\r\nHost: x\r\n\r\n')
    await expect.poll(() => begun.at(-1)).toBe('/last')
  })

  const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`

  it.each([
    ['at once', (answer: () => unknown) => void answer()],
    ['later', (answer: () => unknown) => void setTimeout(answer, 20)],
  ])('are not begun behind an answer after which the connection ends, and which comes %s', async (_, soon) => {
    const begun: Array<string> = []
    const { socket } = await serve(({ url = '' }, response) => {
      begun.push(url)
      soon(() => response.setHeader('Connection', 'close').end('last'))
    })
    socket.write(get('/0') + get('/1') + get('/2'))
    expect(await text(socket)).toContain('last')
    await sleep(50)
    expect(begun).toEqual(['/0'])
  })

  /** Answers when it is told to. */
  const onDemand = () => {
    const responses: Array<ServerResponse> = []
    const handler: RequestListener = (_, response) => void responses.push(response)
    return { responses, handler, answer: () => void responses.at(-1)?.end() }
  }

  const heardBy = (socket: Socket) => {
    const chunks: Array<Buffer> = []
    socket.on('error', () => undefined).on('data', (chunk) => chunks.push(chunk))
    return () => Buffer.concat(chunks).toString()
  }

  it('are read no further while one waits: whoever sends more than may wait keeps nobody else from it', async () => {
    const { responses, handler, answer } = onDemand()
    const answers: RequestListener = ({ url = '' }, response) => void response.end(`${url};`)
    const { port, socket } = await serve((request, response) =>
      (request.url === '/first' ? handler : answers)(request, response),
    )
    const heard = heardBy(socket)
    const begin = get('/first') + get('/second')
    socket.write(begin)
    const read = () => responses[0]?.req.socket.bytesRead
    await expect.poll(read).toBe(begin.length)
    const urls = Array.from(Array(9_000).keys(), (n) => `/as_long_as_those_of_others/${n}`)
    socket.write(urls.map((url) => get(url)).join(''))
    const other = open(port)
    const otherHeard = heardBy(other)
    for (const pair of ['/a', '/b', '/c']) {
      other.write(get(pair) + get(`${pair}2`))
      await expect.poll(otherHeard).toContain(`${pair}2;`)
    }
    expect(read()).toBe(begin.length)
    answer()
    await expect.poll(heard, { timeout: 20_000 }).toContain('/8999;')
    expect(heard().match(/\/[\w/]+(?=;)/g)).toEqual(['/second', ...urls])
  }, 30_000)

  /** Two are asked for first: what comes behind them is there at once when the second one begins. */
  const asAPacket = async (requests: string) => {
    const { responses, handler, answer } = onDemand()
    const { socket } = await serve((request, response) => {
      if (responses.length < 2) handler(request, response)
      else response.end(`${request.url};`)
    })
    const heard = heardBy(socket)
    socket.write(get('/') + get('/'))
    await expect.poll(() => responses.length).toBe(1)
    socket.write(requests)
    await sleep(100)
    answer()
    await expect.poll(() => responses.length).toBe(2)
    return { socket, heard, answer }
  }

  it('wait in great numbers on one connection where they come in one packet, and are answered in their order', async () => {
    const urls = Array.from(Array(2_000).keys(), (n) => `/${n}`)
    const { heard, answer } = await asAPacket(urls.map((url) => get(url)).join(''))
    await sleep(50)
    answer()
    await expect.poll(heard, { timeout: 10_000 }).toContain('/1999;')
    expect(heard().match(/\/\w+(?=;)/g)).toEqual(urls)
  })

  it('wait up to 2,048 on one connection: it is cut where a packet holds more', async () => {
    const { socket } = await asAPacket(get('/').repeat(2_400))
    await expect.poll(() => socket.closed).toBe(true)
  })

  it('wait on all connections together until they are too many: each takes memory', async () => {
    const { responses, handler } = onDemand()
    const { port, socket: first } = await serve(handler)
    const sockets = [first]
    for (const _ of Array(8)) sockets.push(open(port))
    const closed = sockets.map((socket) =>
      once(
        socket.on('error', () => undefined),
        'close',
      ),
    )
    for (const socket of sockets) socket.write(get('/').repeat(1500))
    await Promise.race(closed)
    expect(responses.length).toBeGreaterThan(5)
    for (const socket of sockets) socket.destroy()
    await Promise.all(closed)
    // Who has left waits no more: it shows when answers are written.
    const isOver = () => responses.map((response) => response.end().destroyed).every(Boolean)
    await expect.poll(isOver, { timeout: 10_000 }).toBe(true)
    const before = responses.length
    const again = open(port)
    again.on('error', () => undefined).write(get('/').repeat(1500))
    await expect.poll(() => responses.length).toBe(before + 1)
    expect(await Promise.race([once(again, 'close'), sleep(200, 'open')])).toBe('open')
    again.destroy()
    await expect.poll(isOver, { timeout: 10_000 }).toBe(true)
  })

  it('wait beside those of whoever sends many: not who sends few is cut, but who holds most of the places', async () => {
    const { responses, handler } = onDemand()
    const { port, socket: first } = await serve(handler)
    const greedy = [first, open(port), open(port), open(port), open(port)]
    const cuts: Array<Socket> = []
    for (const socket of greedy) {
      socket.on('error', () => undefined).once('close', () => cuts.push(socket))
      socket.write(get('/').repeat(1_600))
    }
    await sleep(300)
    expect(cuts).toEqual([])
    const modest = Array.from(Array(300), () => open(port))
    for (const socket of modest) {
      socket.on('error', () => undefined).once('close', () => cuts.push(socket))
      socket.write(get('/') + get('/'))
    }
    await expect.poll(() => cuts.length).toBeGreaterThan(0)
    await sleep(300)
    expect([cuts.length, cuts.every((socket) => greedy.includes(socket))]).toEqual([1, true])
    for (const socket of [...greedy, ...modest]) socket.destroy()
    const isOver = () => responses.map((response) => response.end().destroyed).every(Boolean)
    await expect.poll(isOver, { timeout: 10_000 }).toBe(true)
  })

  it('may wait for long behind what is not read, with more to come', async () => {
    const { socket } = await serve(({ url = '' }, response) => void response.end(url === '/large' ? body : `${url};`))
    socket.pause()
    socket.write(get('/large') + get('/small') + get('/late').slice(0, 20))
    await sleep(100)
    socket.write(get('/late').slice(20))
    // Longer than a request may take to come: 15 seconds.
    await sleep(16_000)
    let received = ''
    socket.setEncoding('latin1').on('data', (data: string) => {
      received += data
    })
    socket.resume()
    await expect.poll(() => received.slice(-6), { timeout: 10_000 }).toBe('/late;')
  }, 40_000)

  it('are no leak, however many there are', async () => {
    const warned: Array<string> = []
    const hear = ({ name }: Error) => void warned.push(name)
    process.on('warning', hear)
    const { socket } = await serve((_, response) => {
      for (const _ of Array(10)) response.once('close', () => undefined)
      setTimeout(() => response.end('answer;'), 10)
    })
    let received = ''
    socket.on('data', (data) => {
      received += String(data)
    })
    socket.write(get('/').repeat(5))
    await expect.poll(() => received.match(/answer/g)?.length).toBe(5)
    process.off('warning', hear)
    expect(warned).toEqual([])
  })

  it('are not begun once the connection is gone', async () => {
    const { begun, socket, settled } = await asked()
    const closed = once(socket, 'close')
    socket.destroy()
    await closed
    await settled()
    expect(begun).toEqual(['/0'])
  })
})
