import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { timeFirstRequests } from '../../src/connection/timeFirstRequests.js'

describe('a connection whose first request does not come', () => {
  const servers: Array<Server> = []
  afterEach(() => {
    for (const server of servers.splice(0)) server.close().closeAllConnections()
  })

  /** Only what is looked at here looks for late ones. */
  const serve = async (headersTimeout: number) => {
    const server = createServer({ headersTimeout, connectionsCheckingInterval: 60_000 }, (_, response) => {
      response.end('done')
    })
    servers.push(server)
    timeFirstRequests(server)
    const reported: Array<{
      readonly code: string | undefined
      readonly port: number | undefined
      readonly at: number
    }> = []
    server.on('clientError', ({ code }: NodeJS.ErrnoException, socket: Socket) => {
      reported.push({ code, port: socket.remotePort, at: performance.now() })
      socket.destroy()
    })
    server.on('connect', () => undefined)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const open = async () => {
      const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined)
      await once(socket, 'connect')
      return { socket, port: socket.localPort }
    }
    return { open, reported }
  }

  it('is reported as Node reports it, in its own time, in the order in which they came', async () => {
    const { open, reported } = await serve(100)
    const began = performance.now()
    const [first, second] = [await open(), await open()]
    second.socket.write('GET / HTTP/1.1\r\nHost:')
    await sleep(60)
    const third = await open()
    await expect.poll(() => reported.length).toBe(3)
    expect(reported.map(({ port }) => port)).toEqual([first.port, second.port, third.port])
    expect(new Set(reported.map(({ code }) => code))).toEqual(new Set(['ERR_HTTP_REQUEST_TIMEOUT']))
    expect((reported[0]?.at ?? 0) - began).toBeGreaterThanOrEqual(99)
    expect((reported[2]?.at ?? 0) - began).toBeGreaterThanOrEqual(159)
  })

  it('is looked for again after a time in which there was none', async () => {
    const { open, reported } = await serve(30)
    for (const times of [1, 2]) {
      await open()
      await expect.poll(() => reported.length).toBe(times)
      await sleep(30)
    }
  })

  it.each(['GET / HTTP/1.1\r\nHost: x\r\n\r\n', 'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n'])(
    'is not one that has asked: %j',
    async (request) => {
      const { open, reported } = await serve(50)
      const { socket: asked } = await open()
      asked.write(request)
      const [gone, silent] = [await open(), await open()]
      gone.socket.destroy()
      await expect.poll(() => reported.length).toBe(1)
      await sleep(100)
      expect(reported.map(({ port }) => port)).toEqual([silent.port])
      expect(asked.destroyed).toBe(false)
      asked.destroy()
    },
  )
})
