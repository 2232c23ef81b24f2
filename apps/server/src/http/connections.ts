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
import { HttpError, maxHeaders } from '@canopy/http'
import { cutAnswer, resetConnection } from './AnswerCut.js'
import { errorResponse } from './HttpResponse.js'
import { headsOf } from './send.js'

export interface ConnectionOptions {
  /** Open connections of this process. Further ones are closed. */
  readonly maxConnections: number
  /** A connection without traffic is closed after this time. */
  readonly idleMs: number
  readonly onMalformed?: OnMalformed
  /** Called for each connection beyond the bound, with the bound. */
  readonly onRefused?: (bound: number) => void
  /** Called for each connection that finds no descriptor or memory. The next one may be accepted. */
  readonly onNotAccepted?: (cause: NodeJS.ErrnoException) => void
}

/** Called for each malformed request, with the id in its answer and Node's code for the error. */
export type OnMalformed = (error: HttpError.BadRequest, requestId: string, code: string | undefined) => void

/** All in milliseconds. */
export interface StopBounds {
  /** New connections are still accepted, so that load balancers see that the server is not ready. */
  readonly drainMs: number
  /** A connection without an answer under way stays open after its last byte: a request may be arriving. */
  readonly quietMs: number
  /** Answers under way are cut after this time. It begins when no new connection is accepted. */
  readonly stopMs: number
}

/** Finishes the answers under way, then closes every connection. Resolves with the number of answers that were cut. */
export type Stop = (bounds: StopBounds) => Promise<number>

export interface HttpServer {
  readonly server: Server
  readonly stop: Stop
}

/** The longest path with every byte escaped, a token and parameters, and the headers of a browser. */
const maxHeadBytes = 24 * 1024

/** A server of `node:http` with bounds on its clients, our envelope for malformed requests, and a stop that cuts no answer. */
export const httpServer = (
  handle: RequestListener,
  { maxConnections, idleMs, onMalformed, onRefused, onNotAccepted = () => undefined }: ConnectionOptions,
): HttpServer => {
  const server = createServer({
    // `headProblem` refuses a request without Host in our envelope.
    requireHostHeader: false,
    maxHeaderSize: maxHeadBytes,
    // Bounds for clients that send slowly.
    headersTimeout: 10_000,
    requestTimeout: 15_000,
    connectionsCheckingInterval: 1_000,
    keepAliveTimeout: idleMs,
  })
  server.timeout = idleMs
  // Node drops further headers silently. With one more than allowed, `headProblem` sees that there are too many.
  server.maxHeadersCount = maxHeaders + 1

  const maxDescriptors = descriptorLimit()
  server.maxConnections = Math.min(maxConnections, Math.floor(connectionShare * maxDescriptors))
  server.on('drop', () => onRefused?.(server.maxConnections))
  server.once('listening', () => server.on('error', onNotAccepted))

  const connections = new Connections(server, handle, onMalformed)
  server.on('connection', (socket) => {
    if (descriptorOf(socket) < maxDescriptors - reservedDescriptors) return connections.add(socket)
    socket.destroy()
    onNotAccepted(noDescriptor)
  })
  server.on('request', (request, response) => connections.answer(request, response))
  // Node would answer an unknown expectation with 417, outside our envelope.
  server.on('checkExpectation', (request, response) => connections.answer(request, response))
  server.on('clientError', (error, socket) => connections.refuse(error, socket as Socket))
  server.on('timeout', (socket) => connections.closeIdle(socket))

  let stopped: Promise<number> | undefined
  const stop: Stop = (bounds) => {
    stopped ??= connections.stop(bounds)
    return stopped
  }
  return { server, stop }
}

/** Connections take this share of the descriptors. Files take the rest. */
const connectionShare = 0.75

/** For files. libuv closes a connection that finds no descriptor at all, and no event counts it. */
const reservedDescriptors = 16

/** The number of descriptors that this process may open. */
const descriptorLimit = (): number => {
  try {
    return Number(/^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? Infinity)
  } catch {
    return Infinity
  }
}

/** A new descriptor gets the lowest free number, so all lower ones are in use. Node has no public name for it. */
const descriptorOf = (socket: Socket & { readonly _handle?: { readonly fd?: number } | null }): number =>
  socket._handle?.fd ?? -1

const noDescriptor = Object.assign(new Error('accept EMFILE'), { code: 'EMFILE' })

interface Connection {
  /** Answers that are not sent completely. Node sends them in the order of their requests, oldest first. */
  readonly unsent: Set<ServerResponse>
  /** The answer to the latest request. */
  latest: ServerResponse | undefined
  /** Whether the latest request was malformed. */
  isRefused: boolean
  /** Requests behind the last one that has an answer. */
  ignored: number
  /** During a stop: the bytes received so far, and when the last of them arrived. */
  quiet: { readonly since: number; readonly received: number } | undefined
}

/** Requests of one connection without a complete answer. Each takes some 5 KB, and Node reads 2,000 of them at once. */
const maxPipelined = 256

/** How often a stopping server looks for quiet connections, in milliseconds. */
const pollMs = 20

class Connections {
  readonly #server: Server
  readonly #handle: RequestListener
  readonly #onMalformed: OnMalformed | undefined
  readonly #open = new Map<Socket, Connection>()
  #isStopping = false

  constructor(server: Server, handle: RequestListener, onMalformed: OnMalformed | undefined) {
    this.#server = server
    this.#handle = handle
    this.#onMalformed = onMalformed
  }

  add(socket: Socket): void {
    const connection: Connection = {
      unsent: new Set(),
      latest: undefined,
      isRefused: false,
      ignored: 0,
      quiet: undefined,
    }
    this.#open.set(socket, connection)
    // Node calls this behind a last answer, and would reset a client that has sent more.
    socket.destroySoon = () => endConnection(socket)
    socket.once('close', () => {
      this.#open.delete(socket)
      // Node closes only the answer that it was sending. Pipelined requests would never be logged, nor their memory released.
      for (const response of connection.unsent) if (response.socket === null) response.destroy().emit('close')
    })
  }

  answer(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request
    const connection = this.#open.get(socket)
    if (connection === undefined) return
    const isTooMany = connection.unsent.size + connection.ignored >= maxPipelined
    // Behind a malformed or ambiguous request, the beginning of the next one is uncertain.
    const isBehindLast = connection.isRefused || connection.latest?.shouldKeepAlive === false
    if (isTooMany) resetConnection(socket)
    if (isBehindLast) connection.ignored += 1
    if (isTooMany || isBehindLast) return
    connection.latest = response
    connection.unsent.add(response)
    response.once('close', () => connection.unsent.delete(response))
    if (this.#isStopping) response.shouldKeepAlive = false
    this.#handle(request, response)
  }

  /** Answers a malformed request, after the answers before it, and closes the connection. */
  refuse({ code }: NodeJS.ErrnoException, socket: Socket): void {
    const connection = this.#open.get(socket)
    // Node reports each packet that follows.
    if (connection === undefined || connection.isRefused) return
    connection.isRefused = true
    const answer = (): void => this.#answerMalformed(socket, connection, code)
    if (connection.unsent.size > 0) connection.latest?.once('close', answer)
    else answer()
  }

  closeIdle(socket: Socket): void {
    const [current] = this.#open.get(socket)?.unsent ?? []
    // An answer in the making has its own time limit.
    if (current?.headersSent === false) return
    if (current !== undefined) cutAnswer(current, 'nothing moved on the connection for CANOPY_IDLE_MS')
    socket.destroy()
  }

  async stop({ drainMs, quietMs, stopMs }: StopBounds): Promise<number> {
    this.#isStopping = true
    for (const { latest } of this.#open.values()) if (latest?.headersSent === false) latest.shouldKeepAlive = false
    if (drainMs > 0) await sleep(drainMs)
    // `close` of HTTP would also close connections whose clients still read their answers.
    NetServer.prototype.close.call(this.#server)
    const end = performance.now() + stopMs
    while (this.#open.size > 0 && performance.now() < end) {
      this.#closeQuiet(quietMs)
      if (this.#open.size > 0) await sleep(pollMs)
    }
    const cut = [...this.#open.values()].flatMap(({ unsent }) => [...unsent])
    for (const response of cut)
      if (response.headersSent) cutAnswer(response, 'server stopped before the answer was out: CANOPY_STOP_MS')
    this.#server.closeAllConnections()
    // Until the last answers are logged.
    await nextTurn()
    return cut.length
  }

  #answerMalformed(socket: Socket, { latest }: Connection, code: string | undefined): void {
    if (!socket.writable) return
    // Only its body is malformed: the request has its answer.
    const hasAnswer = latest?.req.complete === false
    const error = errors[code ?? ''] ?? HttpError.badRequest
    const requestId = randomUUID()
    endConnection(socket, hasAnswer ? '' : malformedAnswer(error, requestId))
    if (!hasAnswer) this.#onMalformed?.(error, requestId, code)
  }

  #closeQuiet(quietMs: number): void {
    const now = performance.now()
    for (const [socket, connection] of this.#open) {
      if (connection.unsent.size > 0) continue
      const received = socket.bytesRead
      if (connection.quiet?.received !== received) connection.quiet = { since: now, received }
      else if (now - connection.quiet.since >= quietMs) socket.destroy()
    }
  }
}

/** How long the end of a connection waits for its client, in milliseconds. */
const lingerMs = 2_000

/** Closing a socket with unread bytes resets it, and its client loses the answers on their way (RFC 9112, 9.6). */
const endConnection = (socket: Socket, lastText = ''): void => {
  socket.end(lastText, 'latin1')
  const timer = setTimeout(() => socket.destroy(), lingerMs).unref()
  socket.once('close', () => clearTimeout(timer))
}

/** By Node's code. Any other error is 400. */
const errors: Readonly<Record<string, HttpError.BadRequest>> = {
  HPE_HEADER_OVERFLOW: HttpError.headTooLarge,
  ERR_HTTP_REQUEST_TIMEOUT: HttpError.headTooLate,
}

/** Written to the socket, because Node makes no response for a malformed request. */
const malformedAnswer = (error: HttpError.BadRequest, requestId: string): string => {
  const answer = errorResponse(error)
  const own = ['Connection', 'close', 'Date', new Date().toUTCString(), 'X-Request-Id', requestId]
  const fields = [...own, ...headsOf(answer).plain].map((text, index) => text + (index % 2 === 0 ? ': ' : '\r\n'))
  const statusLine = `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}\r\n`
  return `${statusLine}${fields.join('')}\r\n${answer.body.bytes.toString('latin1')}`
}
