import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import * as Answers from './Answers.js'
import { cut } from './cut.js'

/** All in milliseconds. */
export interface StopBounds {
  /** How long new connections are still taken, so that balancers notice. */
  readonly drainMs: number
  /** How long a connection stays open on which nothing moves: a request may be on its way. */
  readonly quietMs: number
  /** How long the rest may take, once no new connection is taken. */
  readonly stopMs: number
}

/** Stops a server within these bounds. Resolves with the number of connections that had to be cut. */
export type Stop = (bounds: StopBounds) => Promise<number>

/** What is known of an open connection. */
interface Use {
  /** What had been received when the latest request was there. More means that another has begun to come. */
  received: number
  /** When it was first seen at rest; only looked for while the server stops. */
  restsSince: number | undefined
}

const sweepMs = 20

/** It has its answers, and nothing has come after them. One that is ended already lingers by itself. */
const isAtRest = (socket: Socket, use: Use): boolean =>
  socket.writable && Answers.of(socket).latest?.writableFinished !== false && socket.bytesRead === use.received

const isQuiet = (socket: Socket, use: Use, quietMs: number): boolean => {
  if (!isAtRest(socket, use)) return false
  const now = performance.now()
  use.restsSince ??= now
  return now - use.restsSince >= quietMs
}

const closed = (socket: Socket): Promise<void> => new Promise((resolve) => socket.once('close', () => resolve()))

const sayLast = (answer: ServerResponse | undefined): void => {
  if (answer?.headersSent === false) answer.setHeader('Connection', 'close')
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined

/** For every request: no closure, and no listener where nothing more can come. */
const begin = (use: Use, request: IncomingMessage, answer: ServerResponse): void => {
  const { socket } = request
  use.received = socket.bytesRead
  use.restsSince = undefined
  if (!hasBody(request)) return
  request.once('close', () => {
    if (Answers.of(socket).latest === answer) use.received = socket.bytesRead
  })
}

/**
 * Watches a server's connections, so that it can be stopped without harm to a request: every answer from then on says
 * `Connection: close`, and only what is quiet is closed.
 */
export const gracefulStop = (server: Server): Stop => {
  const connections = new Map<Socket, Use>()
  let stopping: Promise<number> | undefined

  server.on('connection', (socket) => {
    connections.set(socket, { received: 0, restsSince: undefined })
    socket.once('close', () => connections.delete(socket))
  })
  server.prependListener('request', (request, answer) => {
    if (stopping !== undefined) sayLast(answer)
    const use = connections.get(request.socket)
    if (use !== undefined) begin(use, request, answer)
  })

  const closeQuiet = (quietMs: number): void => {
    for (const [socket, use] of connections) if (isQuiet(socket, use, quietMs)) socket.destroy()
  }

  const stop: Stop = async ({ drainMs, quietMs, stopMs }) => {
    for (const socket of connections.keys()) sayLast(Answers.of(socket).latest)
    if (drainMs > 0) await sleep(drainMs)
    // HTTP's own close would end idle connections at once, under requests that are on their way.
    NetServer.prototype.close.call(server)
    let cuts = 0
    const sweep = setInterval(closeQuiet, sweepMs, quietMs)
    const bound = setTimeout(() => {
      cuts = connections.size
      for (const socket of connections.keys()) cut(socket)
    }, stopMs)
    await Promise.all([...connections.keys()].map(closed))
    clearInterval(sweep)
    clearTimeout(bound)
    // The log hears of the last ends after us.
    await turn()
    // Nothing is left to close but a timer, which looks for slow requests.
    server.close()
    return cuts
  }

  return (bounds) => {
    stopping ??= stop(bounds)
    return stopping
  }
}
