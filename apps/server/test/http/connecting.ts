import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { connect, type Socket } from 'node:net'
import { request } from '@canopy/testkit'
import { afterEach } from 'vitest'
import { type ConnectionOptions, httpServer } from '../../src/http/connections.js'
import { listen, type RunningServer } from '../../src/http/listen.js'
import { right } from '../startApp.js'

interface Opening {
  /** Does not read before it is resumed. */
  readonly paused?: boolean
  readonly allowHalfOpen?: boolean
}

export const openTo = (port: number, { paused = false, ...options }: Opening = {}) => {
  const socket = connect({ port, host: '127.0.0.1', ...options }).on('error', () => undefined)
  if (paused) socket.pause()
  let all = ''
  socket.setEncoding('latin1').on('data', (data: string) => {
    all += data
  })
  const closed = once(socket, 'close')
  closed.catch(() => undefined)
  /** The text so far, or the whole text once the connection is closed. `ended` rejects if it is reset. */
  return { socket, heard: () => all, ended: () => closed.then(() => all) }
}

/** Sends text on a connection of its own, and resolves with everything that it receives. */
export const said = (port: number, text: string): Promise<string> => {
  const { socket, ended } = openTo(port)
  socket.write(text)
  return ended()
}

export const get = (target: string, ...headers: ReadonlyArray<string>): string =>
  [`GET ${target} HTTP/1.1`, 'Host: x', ...headers, '', ''].join('\r\n')

export const statusOf = async (port: number, target: string): Promise<number> =>
  (await request(port, { method: 'GET', target }).catch(() => undefined))?.status ?? 0

export const serving = () => {
  const started: Array<RunningServer> = []
  const sockets: Array<Socket> = []
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy()
    await Promise.all(started.splice(0).map(({ stop }) => stop()))
  })
  /** `arrivalMs` limits the arrival of a request. */
  return async (
    handler: RequestListener,
    { arrivalMs, ...options }: Partial<ConnectionOptions> & { readonly arrivalMs?: number } = {},
  ) => {
    const service = httpServer(handler, { maxConnections: 1_000, idleMs: 65_000, ...options })
    const early = { headersTimeout: arrivalMs, requestTimeout: arrivalMs, connectionsCheckingInterval: 20 }
    if (arrivalMs !== undefined) Object.assign(service.server, early)
    const running = right(await listen(service, { host: '127.0.0.1', port: 0 })())
    started.push(running)
    const open = (options: Opening = {}) => {
      const opened = openTo(running.port, options)
      sockets.push(opened.socket)
      return opened
    }
    /** A connection that the server has accepted, and the server's socket. */
    const accepted = async (options: Opening = {}) => {
      const taken = once(service.server, 'connection')
      const opened = open(options)
      await once(opened.socket, 'connect')
      return [opened, (await taken)[0] as Socket] as const
    }
    return { ...running, open, accepted }
  }
}
