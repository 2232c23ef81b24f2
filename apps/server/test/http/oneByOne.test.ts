import { once } from 'node:events'
import type { RequestListener, ServerResponse } from 'node:http'
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

  it('are answered in their order, however many of those that may wait there are', async () => {
    const urls = Array.from(Array(200).keys(), (n) => `/${n}`)
    const { socket } = await serve(({ url }, response) => void setTimeout(() => response.end(`${url};`)))
    const chunks: Array<Buffer> = []
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.write(urls.map((url) => get(url)).join(''))
    const heard = () => Buffer.concat(chunks).toString()
    await expect.poll(heard, { timeout: 10_000 }).toContain('/199;')
    expect(heard().match(/\/\w+(?=;)/g)).toEqual(urls)
  })

  it('are 257 at most: a connection that sends more is reset', async () => {
    const begun: Array<ServerResponse> = []
    const { port } = await serve((_, response) => void begun.push(response))
    const [modest, greedy] = [open(port), open(port)]
    for (const socket of [modest, greedy]) socket.on('error', () => undefined)
    modest.write(get('/').repeat(257))
    greedy.write(get('/').repeat(2_000))
    await expect.poll(() => greedy.closed, { timeout: 5_000 }).toBe(true)
    await expect.poll(() => begun.length).toBe(2)
    expect(modest.closed).toBe(false)
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
  })

  it('are no leak, however many there are', async () => {
    const warned: Array<string> = []
    const hear = ({ name }: Error) => void warned.push(name)
    process.on('warning', hear)
    const { socket } = await serve((_, response) => {
      for (const _ of Array(5)) response.once('close', () => undefined)
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
