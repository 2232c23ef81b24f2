import type { Server, ServerOptions } from 'node:http'
import { cut } from './cut.js'

/** The longest path, every byte escaped, with a token and parameters; and room for a browser's own headers. */
const maxHeaderBytes = 24 * 1024

export const connectionOptions: ServerOptions = {
  // Refused with our own envelope: see headProblem.
  requireHostHeader: false,
  maxHeaderSize: maxHeaderBytes,
  // What a client may cost that sends slowly, in milliseconds.
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  // A walk over all of them. First requests, of which thousands may be late, have a better way: see timeFirstRequests.
  connectionsCheckingInterval: 500,
  // One timer for a connection, not two by turns: idleMs is what ends it.
  keepAliveTimeout: 0,
}

/**
 * A connection on which nothing moves for so long is cut: it is kept for another request, or its client does not read.
 * Longer than the minute for which proxies keep connections, so that theirs is the side that closes.
 */
export const idleMs = 65_000

/** More are refused, not left out: what stands last is what the nearest proxy says. */
export const maxHeaders = 100

export const limitConnections = (server: Server, maxConnections: number): void => {
  // Not server.maxConnections: that bounds what a server accepts itself, not what it is given.
  let open = 0
  server.prependListener('connection', (socket) => {
    open += 1
    socket.once('close', () => {
      open -= 1
    })
    if (open > maxConnections) socket.destroy()
  })
  // Node drops what is beyond: one more is how it shows.
  server.maxHeadersCount = maxHeaders + 1
  server.setTimeout(idleMs, cut)
}
