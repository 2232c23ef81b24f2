import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { listenings } from './listenings.js'

const body = 'x'.repeat(1_000_000)
const get = (path: string, more = ''): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`

describe('a connection behind its last answer', () => {
  const { serve: listen, open } = listenings()

  const serve = async (handler: RequestListener) => {
    const { port, stop } = await listen(handler)
    return { socket: open(port).pause(), stop }
  }

  const large: RequestListener = ({ url }, response) => {
    if (url === '/last') response.setHeader('Connection', 'close')
    response.end(body)
  }

  /** All that comes, read late: by then the server has heard what else was said. */
  const readLate = async (socket: Socket): Promise<string> => {
    let received = ''
    await sleep(300)
    socket.setEncoding('latin1').on('data', (data: string) => {
      received += data
    })
    socket.resume()
    await once(socket, 'close')
    return received
  }

  const answersIn = (received: string): number => received.split('HTTP/1.1 200').length - 1

  it('is not reset by what the client still sends: all answers arrive', async () => {
    const { socket } = await serve(large)
    socket.write(get('/0') + get('/1') + get('/last'))
    await sleep(100)
    for (const n of Array(20).keys()) socket.write(get(`/${n}`) + 'y'.repeat(1000))
    const received = await readLate(socket)
    expect(answersIn(received)).toBe(3)
    expect(received.length).toBeGreaterThan(3 * body.length)
  })

  it('is not reset when what comes is no request', async () => {
    const { socket } = await serve(large)
    socket.write(`${get('/0') + get('/1')}no request\r\n\r\n`)
    await sleep(100)
    for (const _ of Array(20)) socket.write('more of it\r\n\r\n')
    const received = await readLate(socket)
    expect(answersIn(received)).toBe(2)
    expect(received).toContain('HTTP/1.1 400')
  })

  it('is not reset by a stop: a client that reads late has the answers that were made', async () => {
    const { socket, stop } = await serve(large)
    for (const n of [0, 1, 2]) socket.write(get(`/${n}`))
    await sleep(50)
    const stopped = stop({ drainMs: 0, quietMs: 50, stopMs: 10_000 })
    for (const n of Array(20).keys()) socket.write(get(`/${n}`))
    const received = await readLate(socket)
    expect(received.split(body).length - 1).toBe(answersIn(received))
    expect(answersIn(received)).toBeGreaterThan(0)
    expect(await stopped).toBe(0)
  })

  it('is that of a request for another protocol: Node would begin anywhere in what follows', async () => {
    const asked: Array<string> = []
    const { socket } = await serve(({ url = '' }, response) => {
      asked.push(url)
      response.end('in this one')
    })
    const upgrade = get('/upgrade', 'Upgrade: h2c\r\nConnection: Upgrade\r\n')
    socket.write(`${upgrade}${get('/behind').slice(0, -2)}X-Padding: `)
    await sleep(50)
    socket.write(`${get('/smuggled')}\r\n`)
    const received = await readLate(socket)
    expect(received).toContain('in this one')
    expect(received).toContain('Connection: close')
    expect(asked).toEqual(['/upgrade'])
  })

  it('is that of CONNECT: a stream before it goes on, and all of it arrives', async () => {
    const { socket } = await serve((_, response) => {
      response.writeHead(200, { 'Content-Length': 20 * body.length })
      const write = (left: number): void => {
        if (left === 0) return void response.end()
        if (response.write(body)) write(left - 1)
        else response.once('drain', () => write(left - 1))
      }
      write(20)
    })
    socket.write(`${get('/stream')}CONNECT a:1 HTTP/1.1\r\nHost: x\r\n\r\n`)
    const received = await readLate(socket)
    expect(received.length).toBeGreaterThan(20 * body.length)
  })
})
