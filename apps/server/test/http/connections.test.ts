import { once } from 'node:events'
import type { RequestListener, Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, describe, expect, it } from 'vitest'
import { type ConnectionOptions, httpServer } from '../../src/http/connections.js'

const get = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'

const done: RequestListener = (_, response) => void response.end('done')

const ends: Array<() => unknown> = []
afterEach(() => {
  for (const end of ends.splice(0)) end()
})

const started = async (
  handler: RequestListener,
  options: Partial<ConnectionOptions> = {},
  prepare: (server: Server) => void = () => undefined,
) => {
  const { server } = httpServer(handler, { maxConnections: 10, idleMs: 65_000, ...options })
  prepare(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  ends.push(() => server.close())
  const open = (): Socket => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    ends.push(() => socket.destroy())
    return socket
  }
  return { server, open }
}

describe('a connection on which nothing moves', () => {
  it('is closed after its time, which its answers say', async () => {
    const { open } = await started(done, { idleMs: 1_000 })
    const socket = open()
    socket.write(get)
    expect(await text(socket)).toMatch(/\r\nKeep-Alive: timeout=1\r\n/)
  })

  it.each([1, 2])(
    'is reset where an answer is on its way: to HTTP/1.0 its end would be the end of the body (the first of %i)',
    async (requests) => {
      const { open } = await started(
        (request, response) => {
          response.writeHead(200, { Connection: 'close' })
          response.write('half')
          response.once('timeout', () => request.socket.resetAndDestroy())
        },
        { idleMs: 200 },
      )
      const socket = open()
      socket.write('GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n'.repeat(requests))
      await expect(text(socket)).rejects.toThrow('ECONNRESET')
    },
  )
})

describe('a request that does not come in time', () => {
  const early = (server: Server): void => {
    Object.assign(server, { headersTimeout: 100, requestTimeout: 100, connectionsCheckingInterval: 20 })
  }

  it('is answered with 408, and reported', async () => {
    const codes: Array<string | undefined> = []
    const { open } = await started(done, { onMalformed: (_, __, code) => codes.push(code) }, early)
    const socket = open()
    socket.write('GET / HTTP/1.1\r\n')
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\nConnection: close\r\n/)
    expect(codes).toEqual(['ERR_HTTP_REQUEST_TIMEOUT'])
  })

  it('is not answered twice where its head has its answer: the connection ends behind that', async () => {
    const codes: Array<string | undefined> = []
    const { open } = await started(done, { onMalformed: (_, __, code) => codes.push(code) }, early)
    const socket = open()
    const answered = text(socket)
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n')
    const more = setInterval(() => socket.write('x'), 50)
    ends.push(() => clearInterval(more))
    expect(await answered).toMatch(/^HTTP\/1\.1 200 OK.*done$/s)
    expect(codes).toEqual([])
  })
})

describe('the limit of connections', () => {
  it('closes what comes beyond it, and accepts new ones when old ones are gone', async () => {
    const { open } = await started(done, { maxConnections: 2 })
    const opened = async () => {
      const socket = open()
      socket.on('error', () => undefined)
      await once(socket, 'connect')
      return socket
    }
    const [first] = [await opened(), await opened()]
    const third = await opened()
    third.resume()
    await once(third, 'close')
    first?.destroy()
    const answer = async () => {
      const fourth = await opened()
      fourth.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
      return text(fourth).catch(() => '')
    }
    await expect.poll(answer).toContain('200 OK')
  })
})
