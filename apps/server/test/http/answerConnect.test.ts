import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { request, sendRaw } from '@canopy/testkit'
import { describe, expect, it } from 'vitest'
import { listenings } from './listenings.js'

const most = 3

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`

describe('a connection that asked for CONNECT', () => {
  const { serve, open } = listenings(most)

  const statusOf = (port: number) =>
    request(port, { method: 'GET', target: '/' }).then(
      ({ status }) => status,
      () => 0,
    )

  const fill = async (more: string) => {
    const { port } = await serve((_, response) => void response.end())
    const sockets = Array.from({ length: most }, () => open(port, true))
    for (const socket of sockets) {
      socket.on('error', () => undefined).write(`CONNECT a:1 HTTP/1.1\r\nHost: x\r\n\r\n${more}`)
      await once(socket, 'data')
    }
    return { sockets, ask: () => statusOf(port) }
  }

  it('does not hold its place, though its client never closes it', async () => {
    const { ask } = await fill('')
    await expect.poll(ask, { timeout: 10_000 }).toBe(200)
  })

  const answersLater: RequestListener = ({ url, method }, response) =>
    void setTimeout(() => response.end(`${method} ${url};`), 20)
  const answersAtOnce: RequestListener = ({ url, method }, response) => void response.end(`${method} ${url};`)

  it.each([
    [1, 'at once', answersAtOnce],
    [2, 'at once', answersAtOnce],
    [2, 'later', answersLater],
  ])('has its answer after those to the %i requests before it, which come %s', async (count, _, handler) => {
    const { port } = await serve(handler)
    const answered = await sendRaw(
      port,
      `${Array.from({ length: count }, (_, n) => get(`/${n}`)).join('')}CONNECT a:1 HTTP/1.1\r\nHost: x\r\n\r\n`,
    )
    const text = answered.body.toString()
    expect(text.match(/[A-Z]+ [^;]*(?=;)/g)).toEqual(['GET /0', 'GET /1'].slice(0, count))
    expect(text).toMatch(
      /HTTP\/1\.1 400 Bad Request\r\nConnection: close\r\n.*\{"type":"error","error":"bad request"\}$/s,
    )
    expect((await request(port, { method: 'GET', target: '/' })).status).toBe(200)
  })

  it('does not hold its place when its client has sent more, and gone', async () => {
    const { sockets, ask } = await fill('x'.repeat(100_000))
    for (const socket of sockets) socket.destroy()
    await expect.poll(ask, { timeout: 10_000 }).toBe(200)
  })

  it('does not hold its place when its client has gone while requests before it wait', async () => {
    const { port } = await serve(({ url }, response) => void (url === '/' && response.end()))
    const sockets = Array.from({ length: most }, () => open(port))
    const asked = `${get('/never')}${get('/waits')}CONNECT a:1 HTTP/1.1\r\nHost: x\r\n\r\n`
    for (const socket of sockets) socket.on('error', () => undefined).write(asked)
    await sleep(100)
    expect(await statusOf(port)).toBe(0)
    for (const socket of sockets) socket.end()
    await expect.poll(() => statusOf(port), { timeout: 5_000 }).toBe(200)
  })
})
