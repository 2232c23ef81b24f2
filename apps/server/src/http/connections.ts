import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { type Headers, HttpError, maxHeaders, openToAllOrigins } from '@canopy/http'
import { cutResponse, errorResponse, resetConnection } from './HttpResponse.js'
import { prepareResponse } from './send.js'

export interface ConnectionOptions {
  /** Open connections of this process. Connections over this limit are closed. */
  readonly maxConnections: number
  /** A connection without traffic is closed after this time. */
  readonly idleMs: number
  /** Headers of every response that say which origins may read it; by default all. */
  readonly origins?: Headers
  readonly onMalformed?: OnMalformed
  /** Called with the limit for each connection that is refused because of it. */
  readonly onRefused?: (limit: number) => void
  /** Called when accepting fails for lack of descriptors or memory. Later connections may still succeed. */
  readonly onAcceptError?: (cause: NodeJS.ErrnoException) => void
}

/** Called for each malformed request, with the id in its response and Node's error code. */
export type OnMalformed = (error: HttpError.BadRequest, requestId: string, code: string | undefined) => void

/** All in milliseconds. */
export interface StopTimeouts {
  /** How long new connections are still accepted, so that load balancers see that the server is not ready. */
  readonly drainMs: number
  /** How long a connection must have been quiet, with no response in flight, before it is closed. */
  readonly quietMs: number
  /** Once no new connection is accepted, how long responses in flight get to finish before they are cut. */
  readonly stopMs: number
}

/** Finishes the responses in flight, then closes every connection. Resolves with the number of responses that were cut. */
export type Stop = (timeouts: StopTimeouts) => Promise<number>

export interface HttpServer {
  readonly server: Server
  readonly stop: Stop
}

/** Room for the longest path with every byte escaped, a token, parameters, and the headers of a browser. */
const maxHeadBytes = 24 * 1024

/** Creates a server of `node:http` with limits on its clients, a JSON error for malformed requests, and a graceful stop. */
export const httpServer = (handle: RequestListener, options: ConnectionOptions): HttpServer => {
  const { maxConnections, idleMs, onRefused, onAcceptError = () => undefined } = options
  const server = createServer({
    // Requests without Host get a JSON error, from `headProblem`.
    requireHostHeader: false,
    maxHeaderSize: maxHeadBytes,
    // Limits for clients that send slowly.
    headersTimeout: 10_000,
    requestTimeout: 15_000,
    connectionsCheckingInterval: 1_000,
    keepAliveTimeout: idleMs,
  })
  server.timeout = idleMs
  // Node drops further headers silently. With one more than allowed, `headProblem` notices that there are too many.
  server.maxHeadersCount = maxHeaders + 1

  const maxDescriptors = descriptorLimit()
  server.maxConnections = Math.min(maxConnections, Math.floor(connectionShare * maxDescriptors))
  server.on('drop', () => onRefused?.(server.maxConnections))
  // Earlier errors belong to `listen`.
  server.once('listening', () => server.on('error', onAcceptError))

  const connections = new Connections(server, handle, options)
  server.on('connection', (socket) => {
    if (descriptorOf(socket) < maxDescriptors - reservedDescriptors) return connections.add(socket)
    socket.destroy()
    onAcceptError(emfile)
  })
  server.on('request', (request, response) => connections.handle(request, response))
  // Node would respond to an unknown expectation with 417 and no JSON.
  server.on('checkExpectation', (request, response) => connections.handle(request, response))
  server.on('clientError', (error, socket) => connections.rejectMalformed(error, socket as Socket))
  server.on('timeout', (socket) => connections.closeIdle(socket))

  let stopping: Promise<number> | undefined
  const stop: Stop = (timeouts) => {
    stopping ??= connections.stop(timeouts)
    return stopping
  }
  return { server, stop }
}

/** Connections take this share of the descriptors. Files take the rest. */
const connectionShare = 0.75

/** Kept free for files. With no descriptor left, libuv drops a connection without an event. */
const reservedDescriptors = 16

const descriptorLimit = (): number => {
  try {
    return Number(/^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? Infinity)
  } catch {
    return Infinity
  }
}

/** A new descriptor gets the lowest free number, so all lower ones are in use. Node does not expose it publicly. */
const descriptorOf = (socket: Socket & { readonly _handle?: { readonly fd?: number } | null }): number =>
  socket._handle?.fd ?? -1

const emfile = Object.assign(new Error('accept EMFILE'), { code: 'EMFILE' })

/** An error of Node's parser, with the packet in which it occurred. */
type Malformed = NodeJS.ErrnoException & { readonly rawPacket?: Buffer }

interface Connection {
  /** Oldest first, as Node sends them. {@link dropSent} drops the closed ones. */
  readonly responses: Array<ServerResponse>
  /** The response to the latest request. */
  latest: ServerResponse | undefined
  /** Whether the latest request was malformed. */
  isMalformed: boolean
  /** Requests received after the last one that gets a response. */
  ignored: number
  /** During a stop: the number of bytes received at a poll, and when it was first seen unchanged. */
  quiet: { readonly since: number; readonly received: number } | undefined
}

/** Drops the leading responses that are closed, and returns the rest. */
const dropSent = ({ responses }: Connection): ReadonlyArray<ServerResponse> => {
  while (responses[0]?.closed === true) responses.shift()
  return responses
}

/** The most unanswered requests on one connection. Each takes some 5 KB, and Node reads 2,000 at once. */
const maxPipelined = 256

/** How often a stopping server looks for quiet connections, in milliseconds. */
const pollMs = 20

class Connections {
  readonly #server: Server
  readonly #listener: RequestListener
  readonly #options: Pick<ConnectionOptions, 'origins' | 'onMalformed'>
  readonly #open = new Map<Socket, Connection>()
  #isStopping = false

  constructor(server: Server, listener: RequestListener, options: ConnectionOptions) {
    this.#server = server
    this.#listener = listener
    this.#options = options
  }

  add(socket: Socket): void {
    const connection: Connection = {
      responses: [],
      latest: undefined,
      isMalformed: false,
      ignored: 0,
      quiet: undefined,
    }
    this.#open.set(socket, connection)
    // Node calls this after the final response, and would reset a client that has sent more.
    socket.destroySoon = () => endConnection(socket)
    socket.once('close', () => {
      this.#open.delete(socket)
      // Node closes only the response that it was sending. Without this, pipelined requests would never be logged or released.
      for (const response of dropSent(connection)) if (response.socket === null) response.destroy().emit('close')
    })
  }

  handle(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request
    const connection = this.#open.get(socket)
    if (connection === undefined) return
    const isPipelineFull = dropSent(connection).length + connection.ignored >= maxPipelined
    // After a malformed or ambiguous request, the beginning of the next one is uncertain.
    const isAfterLast = connection.isMalformed || connection.latest?.shouldKeepAlive === false
    if (isPipelineFull) {
      resetConnection(socket)
      return
    }
    if (isAfterLast) {
      connection.ignored += 1
      return
    }
    connection.latest = response
    connection.responses.push(response)
    if (this.#isStopping) response.shouldKeepAlive = false
    this.#listener(request, response)
  }

  /** Responds to a malformed request after the responses before it, and closes the connection. */
  rejectMalformed({ code, rawPacket }: Malformed, socket: Socket): void {
    const connection = this.#open.get(socket)
    // Node reports each later packet again.
    if (connection === undefined || connection.isMalformed) return
    connection.isMalformed = true
    // A response to HEAD has no body.
    const isHead = rawPacket?.toString('latin1', 0, 5) === 'HEAD '
    const respond = (): void => this.#respondToMalformed(socket, connection, { code, isHead })
    if (dropSent(connection).length > 0) connection.latest?.once('close', respond)
    else respond()
  }

  closeIdle(socket: Socket): void {
    const connection = this.#open.get(socket)
    const current = connection && dropSent(connection)[0]
    // A response that has not started has its own time limit.
    if (current?.headersSent === false) return
    if (current !== undefined) cutResponse(current, 'connection idle for CANOPY_IDLE_MS')
    socket.destroy()
  }

  async stop({ drainMs, quietMs, stopMs }: StopTimeouts): Promise<number> {
    this.#isStopping = true
    for (const { latest } of this.#open.values()) if (latest?.headersSent === false) latest.shouldKeepAlive = false
    if (drainMs > 0) await sleep(drainMs)
    // `http.Server.close` would also close connections whose clients still read their responses.
    NetServer.prototype.close.call(this.#server)
    const end = performance.now() + stopMs
    while (this.#open.size > 0 && performance.now() < end) {
      this.#closeQuiet(quietMs)
      if (this.#open.size > 0) await sleep(pollMs)
    }
    const cut = [...this.#open.values()].flatMap(dropSent)
    for (const response of cut)
      if (response.headersSent)
        cutResponse(response, 'server stopped before the response was complete (CANOPY_STOP_MS)')
    this.#server.closeAllConnections()
    // Lets the last responses be logged: the first turn ends before sockets report their `close`.
    await nextTurn()
    await nextTurn()
    return cut.length
  }

  #respondToMalformed(
    socket: Socket,
    { latest }: Connection,
    { code, isHead }: { readonly code: string | undefined; readonly isHead: boolean },
  ): void {
    if (!socket.writable) return
    // Only the body was malformed, and the request already has a response.
    const hasResponse = latest?.req.complete === false
    const error = errors[code ?? ''] ?? HttpError.badRequest
    const requestId = randomUUID()
    const { origins = openToAllOrigins, onMalformed } = this.#options
    endConnection(socket, hasResponse ? '' : malformedResponse(error, requestId, origins, isHead))
    if (!hasResponse) onMalformed?.(error, requestId, code)
  }

  #closeQuiet(quietMs: number): void {
    const now = performance.now()
    for (const [socket, connection] of this.#open) {
      if (dropSent(connection).length > 0) continue
      const received = socket.bytesRead
      if (connection.quiet?.received !== received) connection.quiet = { since: now, received }
      else if (now - connection.quiet.since >= quietMs) socket.destroy()
    }
  }
}

/** How long the client gets to close its side of a connection, in milliseconds. */
const lingerMs = 2_000

/**
 * Closes our side and waits for the client, because closing a socket with unread bytes resets it, and the client loses the
 * responses in transit (RFC 9112, 9.6).
 */
const endConnection = (socket: Socket, lastText = ''): void => {
  socket.end(lastText, 'latin1')
  const timer = setTimeout(() => socket.destroy(), lingerMs).unref()
  socket.once('close', () => clearTimeout(timer))
}

/** Keyed by Node's error code. Any other error is 400. */
const errors: Readonly<Record<string, HttpError.BadRequest>> = {
  HPE_HEADER_OVERFLOW: HttpError.headTooLarge,
  ERR_HTTP_REQUEST_TIMEOUT: HttpError.headTooLate,
}

/** Returns text for the socket, because Node creates no response for a malformed request. */
const malformedResponse = (
  error: HttpError.BadRequest,
  requestId: string,
  origins: Headers,
  isHead: boolean,
): string => {
  const response = errorResponse(error)
  const commonHeaders = ['Connection', 'close', 'Date', new Date().toUTCString(), 'X-Request-Id', requestId]
  // Names and values alternate.
  const fields = [...commonHeaders, ...prepareResponse(response, origins).plain].map(
    (text, index) => text + (index % 2 === 0 ? ': ' : '\r\n'),
  )
  const statusLine = `HTTP/1.1 ${response.status} ${STATUS_CODES[response.status]}\r\n`
  return `${statusLine}${fields.join('')}\r\n${isHead ? '' : response.body.bytes.toString('latin1')}`
}
