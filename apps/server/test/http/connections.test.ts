import { once } from 'node:events'
import type { RequestListener, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import type { StopTimeouts } from '../../src/http/connections.js'
import { later } from '../inProcess.js'
import { get, said, serving, statusOf } from './connecting.js'

const serve = serving()

const done: RequestListener = (_, response) => void response.end('done')

const half: RequestListener = (_, response) => {
  response.writeHead(200, { Connection: 'close' })
  response.write('half')
}

describe('an idle connection', () => {
  it('is closed after CANOPY_IDLE_MS, which its answers state', async () => {
    const { port } = await serve(done, { idleMs: 1_000 })
    expect(await said(port, get('/'))).toMatch(/\r\nKeep-Alive: timeout=1\r\n/)
  })

  it.each([0, 1])('stays open during an answer, with %i pipelined requests before it', async (before) => {
    const { port } = await serve((_, response) => void setTimeout(() => response.end('made'), 600), { idleMs: 200 })
    const received = await said(port, get('/').repeat(before) + get('/', 'Connection: close'))
    expect(received.match(/made/g)).toHaveLength(before + 1)
  })

  it.each([1, 2])('is reset in the middle of an answer, the first of %i', async (requests) => {
    const { port } = await serve(half, { idleMs: 200 })
    const received = said(port, 'GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n'.repeat(requests))
    await expect(received).rejects.toThrow('ECONNRESET')
  })
})

it('connections beyond the limit are closed until old ones have ended', async () => {
  const { open, port } = await serve(done, { maxConnections: 2 })
  const [first, , third] = [open(), open(), open()]
  await once(third.socket, 'close')
  first.socket.destroy()
  await expect.poll(() => statusOf(port, '/')).toBe(200)
})

it('a late request is answered with 408, and reported', async () => {
  const codes: Array<string | undefined> = []
  const { port } = await serve(done, { arrivalMs: 100, onMalformed: (_, __, code) => codes.push(code) })
  const received = await said(port, 'GET / HTTP/1.1\r\n')
  expect(received).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\nConnection: close\r\n/)
  expect(codes).toEqual(['ERR_HTTP_REQUEST_TIMEOUT'])
})

it('a malformed request behind a pending answer gets one response, however many packets follow', async () => {
  const warned = vi.fn<() => void>()
  process.on('warning', warned)
  const { open } = await serve((_, response) => void setTimeout(() => response.end('made'), 300))
  const { socket, ended } = open()
  socket.write(get('/'))
  for (const _ of Array(20)) {
    socket.write('no request\r\n\r\n')
    await sleep(5)
  }
  expect((await ended()).match(/(?<=HTTP\/1\.1 )\d+/g)).toEqual(['200', '400'])
  process.off('warning', warned)
  expect(warned).not.toHaveBeenCalled()
})

it('CONNECT is closed without an answer', async () => {
  const codes: Array<string | undefined> = []
  const { port } = await serve(done, { onMalformed: (_, __, code) => codes.push(code) })
  const received = await said(port, 'CONNECT a:1 HTTP/1.1\r\nHost: x\r\n\r\n')
  expect([received, codes]).toEqual(['', []])
})

it('an upgrade is ignored', async () => {
  const { open } = await serve(({ url }, response) => void response.end(`${url};`))
  const { socket, heard } = open()
  for (const request of [get('/first', 'Upgrade: h2c', 'Connection: Upgrade'), get('/second')]) {
    socket.write(request)
    await once(socket, 'data')
  }
  expect(heard().match(/\/\w+(?=;)/g)).toEqual(['/first', '/second'])
})

it.each([
  ['the last answer', get('/last'), `${get('/more')}${'y'.repeat(1000)}`, ['200', '200', '200']],
  ['a malformed request', 'no request\r\n\r\n', 'more of it\r\n\r\n', ['200', '200', '400']],
])('a client that sends more behind %s receives all its answers', async (_, last, more, statuses) => {
  const { open } = await serve(({ url }, response) => {
    if (url === '/last') response.shouldKeepAlive = false
    response.end('x'.repeat(1_000_000))
  })
  const { socket, ended } = open({ paused: true })
  socket.write(get('/0') + get('/1') + last)
  await sleep(100)
  for (const __ of Array(20)) socket.write(more)
  await sleep(300)
  // The server has received everything.
  socket.resume()
  const received = await ended()
  expect(received.match(/(?<=HTTP\/1\.1 )\d+/g)).toEqual(statuses)
  const whole = statuses.filter((status) => status === '200')
  expect(received.match(/x{1000000}/g)).toHaveLength(whole.length)
})

it('a connection closes 2 seconds after its last answer', async () => {
  const { accepted } = await serve((_, response) => {
    response.shouldKeepAlive = false
    response.end()
  })
  const [{ socket }, theirs] = await accepted({ allowHalfOpen: true })
  const began = performance.now()
  socket.write(get('/'))
  const more = setInterval(() => socket.write(get('/more')), 50)
  await expect.poll(() => theirs.closed, { timeout: 10_000 }).toBe(true)
  clearInterval(more)
  expect(performance.now() - began).toBeGreaterThan(1_900)
})

it('more than 256 pipelined requests reset their connection', async () => {
  const handled: Array<string> = []
  const { open } = await serve(({ url = '' }) => void handled.push(url))
  const [modest, greedy] = [open().socket, open().socket]
  modest.write(get('/modest').repeat(256))
  greedy.write(get('/greedy').repeat(257))
  await expect.poll(() => greedy.closed, { timeout: 5_000 }).toBe(true)
  await expect.poll(() => handled.filter((url) => url === '/modest').length).toBe(256)
  expect(modest.closed).toBe(false)
})

const bounds: StopTimeouts = { drainMs: 0, quietMs: 50, stopMs: 20_000 }
const request = get('/')

describe('a server that stops', () => {
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
    socket.write(get('/', 'Content-Length: 4'))
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
    const { stop, open } = await serve(half)
    const { socket, ended } = open()
    socket.write('GET / HTTP/1.0\r\n\r\n')
    await once(socket, 'data')
    expect(await stop({ ...bounds, stopMs: 100 })).toBe(1)
    await expect(ended()).rejects.toMatchObject({ code: 'ECONNRESET' })
  })
})
