import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { StopTimeouts } from '../../src/http/connections.js'
import { later } from '../inProcess.js'
import { done, get, serving } from './connecting.js'

const bounds: StopTimeouts = { drainMs: 0, quietMs: 50, stopMs: 20_000 }
const request = get('/')

describe('a server that stops', () => {
  const serve = serving()

  it('finishes a request in flight, with Connection: close in its answer', async () => {
    const answer = later<ServerResponse>()
    const { stop, open } = await serve((_, response) => answer.give(response))
    const { socket, ended } = open()
    socket.write(request)
    const response = await answer.value
    const stopped = stop(bounds)
    response.end('done')
    expect(await ended()).toMatch(/^HTTP\/1\.1 200 OK\r\n.*Connection: close\r\n.*done$/s)
    expect(await stopped).toBe(0)
  })

  it('closes idle connections, with or without a request', async () => {
    const { stop, accepted } = await serve(done)
    const [[kept], [silent]] = [await accepted(), await accepted()]
    kept.socket.write(request)
    await once(kept.socket, 'data')
    expect(await stop(bounds)).toBe(0)
    expect(await silent.ended()).toBe('')
  })

  it('answers a request that was arriving at the stop, and ends soon', async () => {
    const { stop, accepted } = await serve(done)
    const [{ socket, ended }, theirs] = await accepted()
    const half = request.indexOf('Host')
    socket.write(request.slice(0, half))
    await expect.poll(() => theirs.bytesRead).toBe(half)
    const stopped = stop({ ...bounds, quietMs: 2_000 })
    await sleep(100)
    socket.write(request.slice(half))
    expect(await ended()).toMatch(/^HTTP\/1\.1 200 OK/)
    expect(await stopped).toBe(0)
  })

  it('does not mistake the body of an answered request for a new request', async () => {
    const { stop, accepted } = await serve(done)
    const [{ socket, heard, ended }, theirs] = await accepted()
    socket.write(get('/', 'Content-Length: 4\r\n'))
    await once(socket, 'data')
    const [head, answer] = [theirs.bytesRead, heard()]
    socket.write('body')
    await expect.poll(() => theirs.bytesRead).toBe(head + 4)
    const stopped = stop(bounds)
    expect(await ended()).toBe(answer)
    expect(await stopped).toBe(0)
  })

  it('does not wait for a client that stays after a malformed request', async () => {
    const { stop, open } = await serve(done)
    const { socket } = open({ allowHalfOpen: true })
    socket.write(request)
    await once(socket, 'data')
    socket.write('no request\r\n\r\n')
    await once(socket, 'end')
    expect(await stop({ ...bounds, stopMs: 3_000 })).toBe(0)
  })

  it('resets an unfinished answer, which HTTP/1.0 would take for whole', async () => {
    const { stop, open } = await serve((_, response) => {
      response.writeHead(200, { Connection: 'close' })
      response.write('half')
    })
    const { socket, ended } = open()
    socket.write('GET / HTTP/1.0\r\n\r\n')
    await once(socket, 'data')
    expect(await stop({ ...bounds, stopMs: 100 })).toBe(1)
    await expect(ended()).rejects.toMatchObject({ code: 'ECONNRESET' })
  })
})
