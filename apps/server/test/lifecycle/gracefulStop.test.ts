import { once } from 'node:events'
import type { RequestListener, ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { httpServer, type StopBounds } from '../../src/http/connections.js'
import { later } from '../later.js'

const bounds: StopBounds = { drainMs: 0, quietMs: 50, stopMs: 20_000 }

/** `open` gives a connection that the server has taken: our end of it, and the server's. */
const started = async (handler: RequestListener) => {
  const { server, stop } = httpServer(handler, { maxConnections: 100, idleMs: 65_000 })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    stop,
    open: async (): Promise<readonly [Socket, Socket]> => {
      const taken = once(server, 'connection')
      const socket = connect(port, '127.0.0.1')
      await once(socket, 'connect')
      const [theirs] = await taken
      return [socket, theirs]
    },
  }
}

const request = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'

const answered: RequestListener = (_, response) => void response.end('done')

describe('a server that stops', () => {
  it('finishes a request in flight, and says in its answer that the connection ends', async () => {
    const answer = later<ServerResponse>()
    const { stop, open } = await started((_, response) => answer.give(response))
    const [socket] = await open()
    socket.write(request)
    const response = await answer.value
    const stopped = stop(bounds)
    response.end('done')
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 OK\r\n.*Connection: close\r\n.*done$/s)
    expect(await stopped).toBe(0)
  })

  it('ends connections on which nothing moves, also those that have not said anything yet', async () => {
    const { stop, open } = await started(answered)
    const [[kept], [silent]] = [await open(), await open()]
    kept.write(request)
    await once(kept, 'data')
    expect(await stop(bounds)).toBe(0)
    expect(await text(silent)).toBe('')
  })

  it('answers a request that had begun to arrive before the stop, and ends soon', async () => {
    const { stop, open } = await started(answered)
    const [socket, theirs] = await open()
    const half = request.indexOf('Host')
    socket.write(request.slice(0, half))
    while (theirs.bytesRead < half) await sleep(5)
    const stopped = stop({ ...bounds, quietMs: 2_000 })
    await sleep(100)
    socket.write(request.slice(half))
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 OK/)
    expect(await stopped).toBe(0)
  })

  it('knows the body of a request from a request that has begun to come', async () => {
    const { stop, open } = await started(answered)
    const [socket, theirs] = await open()
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\n')
    await once(socket, 'data')
    const head = theirs.bytesRead
    socket.write('body')
    while (theirs.bytesRead === head) await sleep(5)
    const stopped = stop(bounds)
    expect(await text(socket)).toBe('')
    expect(await stopped).toBe(0)
  })

  it('does not wait long for who said what is no request, has the answer to it, and stays', async () => {
    const { port, stop } = await started(answered)
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    socket.on('error', () => undefined)
    socket.write(request)
    await once(socket, 'data')
    socket.write('no request\r\n\r\n')
    await once(socket, 'end')
    expect(await stop({ ...bounds, stopMs: 3_000 })).toBe(0)
    socket.destroy()
  })

  it('closes also where connections never cease to come', async () => {
    const { port, stop } = await started(answered)
    const stopped = stop(bounds)
    const openUntilRefused = async (): Promise<unknown> => {
      for (;;) {
        const socket = connect(port, '127.0.0.1').on('error', () => undefined)
        try {
          await once(socket, 'connect')
        } catch (refused) {
          return refused
        }
        socket.destroy()
        await sleep(1)
      }
    }
    expect(await openUntilRefused()).toMatchObject({ code: 'ECONNREFUSED' })
    expect(await stopped).toBe(0)
  })

  it('answers a request that was on its way on a kept connection', async () => {
    const { stop, open } = await started(answered)
    const [socket] = await open()
    socket.write(request)
    await once(socket, 'data')
    const stopped = stop({ ...bounds, quietMs: 10_000 })
    await sleep(100)
    socket.write(request)
    expect(await text(socket)).toContain('Connection: close\r\n')
    expect(await stopped).toBe(0)
  })

  it('answers the second of two requests that came together', async () => {
    const answers: Array<ServerResponse> = []
    const { stop, open } = await started((_, answer) => void answers.push(answer))
    const [socket] = await open()
    socket.write(request + request)
    while (answers.length < 1) await sleep(5)
    answers[0]?.end('first')
    await once(socket, 'data')
    while (answers.length < 2) await sleep(5)
    const stopped = stop(bounds)
    await sleep(3 * bounds.quietMs)
    answers[1]?.end('second')
    expect(await text(socket)).toMatch(/second$/)
    expect(await stopped).toBe(0)
  })

  it('resets what is half answered: to HTTP/1.0 its end would be the end of the body', async () => {
    const { stop, open } = await started((_, response) => {
      response.writeHead(200, { Connection: 'close' })
      response.write('half')
    })
    const [socket] = await open()
    socket.write('GET / HTTP/1.0\r\n\r\n')
    await once(socket, 'readable')
    const [read, cuts] = await Promise.allSettled([text(socket), stop({ ...bounds, stopMs: 100 })])
    expect(read).toMatchObject({ status: 'rejected', reason: { code: 'ECONNRESET' } })
    expect(cuts).toMatchObject({ value: 1 })
  })

  it('does not count connections that were gone before', async () => {
    const asked = later()
    const { stop, open } = await started(() => asked.give())
    const [[gone, theirs], [socket]] = [await open(), await open()]
    gone.destroy()
    await once(theirs, 'close')
    socket.write(request)
    await asked.value
    expect(await stop({ ...bounds, stopMs: 100 })).toBe(1)
  })

  it('stops once, however often it is asked', async () => {
    const { stop } = await started(answered)
    const first = stop(bounds)
    expect(stop(bounds)).toBe(first)
    expect(await first).toBe(0)
  })
})
