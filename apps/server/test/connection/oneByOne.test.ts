import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { connect, type Socket } from 'node:net'
import { request } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import { afterEach, describe, expect, it } from 'vitest'
import { type Listening, listen } from '../../src/connection/listen.js'

const many = 20

/** More than the buffers of a connection hold. */
const body = 'x'.repeat(8_000_000)

describe('requests that come at once on one connection', () => {
  const open: Array<{ readonly listening: Listening; readonly socket: Socket }> = []
  afterEach(async () => {
    for (const { listening, socket } of open.splice(0)) {
      socket.destroy()
      await listening.stop()
    }
  })

  const asked = async () => {
    const begun: Array<string> = []
    const handler: RequestListener = ({ url = '' }, response) => {
      if (url !== '/other') begun.push(url)
      response.end(url === '/other' ? '' : body)
    }
    const started = await listen(handler, { host: '127.0.0.1', port: 0, maxConnections: 10 })()
    if (E.isLeft(started)) throw started.left
    const listening = started.right
    const socket = connect(listening.port, '127.0.0.1').pause()
    open.push({ listening, socket })
    for (const n of Array(many).keys()) socket.write(`GET /${n} HTTP/1.1\r\nHost: x\r\n\r\n`)
    await expect.poll(() => begun.length).toBeGreaterThan(0)
    /** Until whatever the server could do has been done. */
    const settled = async () => {
      for (const _ of Array(3)) await request(listening.port, { method: 'GET', target: '/other' })
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

  it('are not begun once the connection is gone', async () => {
    const { begun, socket, settled } = await asked()
    const closed = once(socket, 'close')
    socket.destroy()
    await closed
    await settled()
    expect(begun).toEqual(['/0'])
  })
})
