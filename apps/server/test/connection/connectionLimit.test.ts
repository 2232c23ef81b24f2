import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectionOptions, limitConnections } from '../../src/connection/connectionLimits.js'
import { oneByOne } from '../../src/connection/oneByOne.js'

describe('a connection on which nothing moves', () => {
  it('is kept longer than the minute for which proxies keep theirs, by one timer', () => {
    const server = createServer(connectionOptions)
    limitConnections(server, 1)
    expect([server.timeout > 60_000, server.keepAliveTimeout]).toEqual([true, 0])
  })

  it('is not kept longer than the operations page says, and neither is one whose request does not come to its end', () => {
    const server = createServer(connectionOptions)
    limitConnections(server, 1)
    const { headersTimeout, requestTimeout, timeout } = server
    expect([headersTimeout, requestTimeout, timeout]).toEqual([10_000, 15_000, 65_000])
  })
})

describe('a connection on which nothing has moved for so long', () => {
  it('is cut', () => {
    const server = createServer(connectionOptions)
    limitConnections(server, 1)
    const socket = new Socket()
    server.emit('timeout', socket)
    expect(socket.destroyed).toBe(true)
  })
})

describe('a connection on which nothing has moved while its answer is on its way', () => {
  it.each([1, 2])('is reset: to HTTP/1.0 its end would be the end of the body (the first of %i)', async (requests) => {
    const server = createServer(
      oneByOne((_, response) => {
        response.writeHead(200, { Connection: 'close' })
        response.write('half')
      }),
    )
    limitConnections(server, 1)
    server.timeout = 200
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    socket.write('GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n'.repeat(requests))
    await expect(text(socket)).rejects.toThrow('ECONNRESET')
    server.close()
  })
})

describe('the limit of connections', () => {
  const server = createServer((_, response) => response.end('ok'))
  beforeAll(async () => {
    limitConnections(server, 2)
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  })
  afterAll(() => server.close())

  it('closes what comes beyond it, and takes new ones when old ones are gone', async () => {
    const open = async () => {
      const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
      socket.on('error', () => undefined)
      await once(socket, 'connect')
      return socket
    }
    const [first, second] = [await open(), await open()]
    const third = await open()
    third.resume()
    await once(third, 'close')
    first.destroy()
    await once(first, 'close')
    const fourth = await open()
    fourth.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    const [answer] = await once(fourth, 'data')
    expect(String(answer)).toContain('200 OK')
    second.destroy()
  })
})
