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
import { setImmediate as nextTick, setTimeout as sleep } from 'node:timers/promises'
import { HttpError, maxHeaders } from '@canopy/http'
import { cutAnswer } from './AnswerCut.js'
import { errorResponse } from './HttpResponse.js'
import { headsOf } from './send.js'

/** The longest path, every byte escaped, with a token and parameters; and room for a browser's own headers. */
const maxHeaderBytes = 24 * 1024

/** The requests that may wait on one connection for the answers before them; each takes some 3 KB. */
const mostWaiting = 256

/** How long a connection stays open behind its last answer, in milliseconds, so that its client can read that. */
const lingerMs = 2_000

/** How often a server that stops looks at its connections, in milliseconds. */
const pollMs = 20

export interface ConnectionOptions {
  /** In this process. What is beyond is closed. */
  readonly maxConnections: number
  /** A connection on which nothing moves for so long is closed, in milliseconds. */
  readonly idleMs: number
  /** Called for each answer to what is no request: with its id, and Node's name for what is wrong. */
  readonly onMalformed?: OnMalformed
  /** Called for each connection that is closed because so many are open, as these bounds allow. */
  readonly onRefused?: (open: number) => void
}

/** The descriptors that this process may have. */
const descriptorLimit = (): number => {
  try {
    return Number(/^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? Infinity)
  } catch {
    return Infinity
  }
}

/** The share of them that connections may take: the rest is for files. */
const connectionShare = 0.75

/** Reserved for files. Without a free descriptor libuv closes a new connection unseen: here it is counted. */
const lastDescriptors = 16

/** A new descriptor gets the lowest free number, so all lower ones are in use. Node has no public name for it. */
const descriptorOf = (socket: Socket & { readonly _handle?: { readonly fd?: number } | null }): number =>
  socket._handle?.fd ?? -1

const noDescriptor = Object.assign(new Error('accept EMFILE'), { code: 'EMFILE' })

export type OnMalformed = (refusal: HttpError.BadRequest, requestId: string, code: string | undefined) => void

/** All in milliseconds. */
export interface StopBounds {
  /** How long new connections are still accepted, so that load balancers see that the server is not ready. */
  readonly drainMs: number
  /** How long a connection stays open on which nothing moves: a request may be on its way. */
  readonly quietMs: number
  /** How long the rest may take, once no new connection is accepted. */
  readonly stopMs: number
}

/** Finishes the answers under way, then closes every connection. Resolves with the number of answers that were cut. */
export type Stop = (bounds: StopBounds) => Promise<number>

/** An open connection. */
interface Connection {
  /** The answer to the request that came last. */
  latest: ServerResponse | undefined
  /** The answer that is made or written now, and the last one once it is out. */
  current: ServerResponse | undefined
  /** How many requests wait for the answers before them. */
  waiting: number
  /** What came last is no request: nothing after it is read. */
  isGivenUp: boolean
  /** While the server stops: since when it is quiet, and what it had received by then. */
  quiet: { readonly since: number; readonly received: number } | undefined
}

/** What Node's parser could not read. */
type Malformed = NodeJS.ErrnoException & { readonly rawPacket?: Buffer; readonly bytesParsed?: number }

/** Whether the method is HEAD, which takes no body. Unknown where the head began in an earlier packet. */
const isMalformedHead = ({ rawPacket, bytesParsed }: Malformed): boolean => {
  const parsed = rawPacket?.toString('latin1', 0, bytesParsed) ?? ''
  const endBefore = parsed.lastIndexOf('\r\n\r\n')
  return parsed.startsWith('HEAD ', endBefore === -1 ? 0 : endBefore + 4)
}

const refusals: Readonly<Record<string, HttpError.BadRequest>> = {
  HPE_HEADER_OVERFLOW: HttpError.headTooLarge,
  ERR_HTTP_REQUEST_TIMEOUT: HttpError.headTooLate,
}

const lastAnswer = (refusal: HttpError.BadRequest, requestId: string, isHead: boolean): string => {
  const answer = errorResponse(refusal)
  const fields = headsOf(answer).plain.map((text, index) => (index % 2 === 0 ? `${text}: ` : `${text}\r\n`))
  const own = `Connection: close\r\nDate: ${new Date().toUTCString()}\r\nX-Request-Id: ${requestId}\r\n`
  return `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}\r\n${own}${fields.join('')}\r\n${isHead ? '' : answer.body.bytes.toString('latin1')}`
}

/** A connection that is closed with something unread is reset, and its client loses the answer (RFC 9112, 9.6). */
const endAfter = (socket: Socket, text: string): void => {
  socket.end(text, 'latin1')
  socket.resume()
  const late = setTimeout(() => socket.destroy(), lingerMs).unref()
  socket.once('close', () => clearTimeout(late))
}

/** A request for another protocol is answered in this one. */
const asksForUpgrade = ({ headers }: IncomingMessage): boolean =>
  headers.upgrade !== undefined && /upgrade/i.test(headers.connection ?? '')

const isUnderWay = ({ latest }: Connection): boolean =>
  latest !== undefined && !(latest.writableFinished && latest.socket === null)

/** Calls back once all that was asked for is answered, or the connection is gone. */
const onceAnswered = (connection: Connection, goOn: () => void): void => {
  if (isUnderWay(connection)) connection.latest?.once('close', goOn)
  else goOn()
}

/** A server of node:http, with what it leaves to us: pipelining, what is no request, and a stop that breaks off no answer. */
export const httpServer = (
  handle: RequestListener,
  { maxConnections, idleMs, onMalformed = () => undefined, onRefused = () => undefined }: ConnectionOptions,
): { readonly server: Server; readonly stop: Stop } => {
  const connections = new Map<Socket, Connection>()
  let stopping: Promise<number> | undefined

  /** A request begins when the one before it on its connection has its answer. */
  const listener: RequestListener = (request, response) => {
    const { socket } = request
    const connection = connections.get(socket)
    // Behind the last answer of a connection nothing is answered any more.
    if (connection === undefined || connection.isGivenUp || !socket.writable) return
    const before = connection.latest
    connection.latest = response
    connection.quiet = undefined
    // Node drops what comes behind an upgrade in the same packet, so the next request may begin anywhere in it.
    if (stopping !== undefined || asksForUpgrade(request)) response.shouldKeepAlive = false
    const begin = (): void => {
      connection.current = response
      handle(request, response)
    }
    if (before === undefined || response.socket !== null) return begin()
    connection.waiting += 1
    if (connection.waiting > mostWaiting) return void socket.resetAndDestroy()
    before.once('close', () => {
      connection.waiting -= 1
      // The answer before it may have been the last one.
      if (!socket.destroyed && response.socket !== null) begin()
    })
  }

  const server = createServer(
    {
      // Refused with our own envelope: see headProblem.
      requireHostHeader: false,
      maxHeaderSize: maxHeaderBytes,
      // What a client may cost that sends slowly, in milliseconds.
      headersTimeout: 10_000,
      requestTimeout: 15_000,
      connectionsCheckingInterval: 1_000,
      keepAliveTimeout: idleMs,
    },
    listener,
  )
  const mostDescriptors = descriptorLimit()
  server.maxConnections = Math.min(maxConnections, Math.floor(connectionShare * mostDescriptors))
  server.on('drop', () => onRefused(server.maxConnections))
  // Node drops what is beyond: one more is how it shows.
  server.maxHeadersCount = maxHeaders + 1
  server.timeout = idleMs
  server.on('timeout', (socket) => {
    const current = connections.get(socket)?.current
    // While an answer is made nothing moves either; its own deadline is not this one.
    if (current?.headersSent === false) return
    if (current?.writableFinished === false) cutAnswer(current, 'nothing moved on the connection for CANOPY_IDLE_MS')
    socket.destroy()
  })

  server.on('connection', (socket) => {
    if (descriptorOf(socket) >= mostDescriptors - lastDescriptors) {
      socket.destroy()
      // Node reports a connection that it cannot accept in the same way.
      server.emit('error', noDescriptor)
      return
    }
    connections.set(socket, { latest: undefined, current: undefined, waiting: 0, isGivenUp: false, quiet: undefined })
    socket.once('close', () => connections.delete(socket))
    // One of a unix socket cannot be reset: Node would throw.
    if (socket.remoteAddress === undefined) socket.resetAndDestroy = () => socket.destroy()
    // What Node does behind the last answer of a connection.
    socket.destroySoon = () => endAfter(socket, '')
  })

  /** Answers what is no request, behind the answers before it. A request with a broken body is not answered twice. */
  const giveUp = (socket: Socket, refusal: HttpError.BadRequest, code: string | undefined, isHead = false): void => {
    const connection = connections.get(socket)
    if (connection === undefined || connection.isGivenUp) return
    connection.isGivenUp = true
    onceAnswered(connection, () => {
      if (!socket.writable) return
      if (connection.latest?.req.complete === false) return endAfter(socket, '')
      const requestId = randomUUID()
      endAfter(socket, lastAnswer(refusal, requestId, isHead))
      onMalformed(refusal, requestId, code)
    })
  }

  server.on('clientError', (malformed: Malformed, socket) => {
    const { code } = malformed
    // Its time ran out while it waited for the answers before it.
    if (code === 'ERR_HTTP_REQUEST_TIMEOUT' && (connections.get(socket as Socket)?.waiting ?? 0) > 0) return
    giveUp(socket as Socket, refusals[code ?? ''] ?? HttpError.badRequest, code, isMalformedHead(malformed))
  })
  // A target of CONNECT is no path. Node does nothing more for such a connection, not even for the answers before it.
  server.on('connect', ({ socket }) => {
    socket.on('error', () => socket.destroy())
    socket.on('end', () => socket.destroy())
    socket.on('drain', () => connections.get(socket)?.latest?.emit('drain'))
    socket.on('timeout', () => server.emit('timeout', socket))
    socket.resume()
    giveUp(socket, HttpError.badRequest, 'CONNECT')
  })
  // What is expected beyond `100-continue` is not met, and not refused either: the request is answered.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))

  /** Closes connections that were quiet for so long: nothing has come since their last answer. */
  const closeQuiet = (quietMs: number): void => {
    const now = performance.now()
    for (const [socket, connection] of connections) {
      if (isUnderWay(connection)) continue
      const received = socket.bytesRead
      if (connection.quiet?.received !== received) connection.quiet = { since: now, received }
      else if (now - connection.quiet.since >= quietMs) socket.destroy()
    }
  }

  const stop: Stop = async ({ drainMs, quietMs, stopMs }) => {
    for (const { latest } of connections.values()) if (latest?.headersSent === false) latest.shouldKeepAlive = false
    if (drainMs > 0) await sleep(drainMs)
    // HTTP's own close would at once close connections whose clients still read their answers.
    NetServer.prototype.close.call(server)
    const end = performance.now() + stopMs
    while (connections.size > 0 && performance.now() < end) {
      closeQuiet(quietMs)
      if (connections.size > 0) await sleep(pollMs)
    }
    const cut = [...connections].filter(([, connection]) => isUnderWay(connection))
    for (const [, { current }] of cut)
      if (current?.headersSent === true) cutAnswer(current, 'server stopped before the answer was out: CANOPY_STOP_MS')
    server.closeAllConnections()
    // The log hears of the last ends after us.
    await nextTick()
    return cut.length
  }

  return {
    server,
    stop: (bounds) => {
      stopping ??= stop(bounds)
      return stopping
    },
  }
}
