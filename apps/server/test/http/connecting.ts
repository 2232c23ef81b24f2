import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { connect, type Socket } from 'node:net'
import { request } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import { afterEach } from 'vitest'
import { type ConnectionOptions, httpServer } from '../../src/http/connections.js'
import { listen, type RunningServer } from '../../src/http/listen.js'

interface Options extends Partial<ConnectionOptions> {
  /** Limit on the arrival of a request, in milliseconds. */
  readonly arrivalMs?: number
}

interface Opened {
  readonly socket: Socket
  /** The text so far. */
  readonly heard: () => string
  /** The whole text, once the connection is closed. Rejects if it is reset. */
  readonly ended: () => Promise<string>
}

interface Opening {
  /** Does not read before it is resumed. */
  readonly paused?: boolean
  readonly allowHalfOpen?: boolean
}

export const openTo = (port: number, { paused = false, ...options }: Opening = {}): Opened => {
  const socket = connect({ port, host: '127.0.0.1', ...options }).on('error', () => undefined)
  if (paused) socket.pause()
  let all = ''
  socket.setEncoding('latin1').on('data', (data: string) => {
    all += data
  })
  const closed = once(socket, 'close')
  closed.catch(() => undefined)
  return { socket, heard: () => all, ended: () => closed.then(() => all) }
}

export const get = (path: string, more = ''): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`

export const done: RequestListener = (_, response) => void response.end('done')

/** Starts servers. All servers and connections end after each test. */
export const serving = () => {
  const started: Array<RunningServer> = []
  const sockets: Array<Socket> = []
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy()
    await Promise.all(started.splice(0).map(({ stop }) => stop()))
  })
  return async (handler: RequestListener, { arrivalMs, ...options }: Options = {}) => {
    const service = httpServer(handler, { maxConnections: 1_000, idleMs: 65_000, ...options })
    const early = { headersTimeout: arrivalMs, requestTimeout: arrivalMs, connectionsCheckingInterval: 20 }
    if (arrivalMs !== undefined) Object.assign(service.server, early)
    const listening = await listen(service, { host: '127.0.0.1', port: 0 })()
    if (E.isLeft(listening)) throw new Error(listening.left)
    started.push(listening.right)
    const { port } = listening.right
    const open = (options: Opening = {}): Opened => {
      const opened = openTo(port, options)
      sockets.push(opened.socket)
      return opened
    }
    return {
      ...listening.right,
      open,
      /** A connection that the server has accepted, and the server's socket. */
      accepted: async (options: Opening = {}): Promise<readonly [Opened, Socket]> => {
        const taken = once(service.server, 'connection')
        const opened = open(options)
        await once(opened.socket, 'connect')
        return [opened, (await taken)[0]]
      },
      status: () =>
        request(port, { method: 'GET', target: '/' }).then(
          ({ status }) => status,
          () => 0,
        ),
    }
  }
}
