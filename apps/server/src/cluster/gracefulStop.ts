import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'

/** All in milliseconds. */
export interface StopBounds {
  /** How long new connections are still taken, so that balancers notice. */
  readonly drainMs: number
  /** How long a connection stays open on which nothing moves: a request may be on its way. */
  readonly quietMs: number
  /** How long the rest may take, once no new connection is taken. */
  readonly stopMs: number
}

/** What is known of an open connection. */
interface Use {
  readonly answers: Set<ServerResponse>
  /** When the last answer ended, or the connection began. */
  since: number
  /** What had been received by then. More means that a request has begun to come. */
  received: number
}

const sweepMs = 20

/** Under steady load the queue is never empty for long, in milliseconds. */
const longestQueueMs = 2_000
const shortTurnsMs = 1

const isQuiet = (socket: Socket, { answers, since, received }: Use, quietMs: number): boolean =>
  answers.size === 0 && socket.bytesRead === received && performance.now() - since >= quietMs

const sayLast = (answer: ServerResponse): void => {
  if (!answer.headersSent) answer.setHeader('Connection', 'close')
}

const begin = (use: Use, { socket }: IncomingMessage, answer: ServerResponse): void => {
  use.answers.add(answer)
  answer.once('close', () => {
    use.answers.delete(answer)
    use.since = performance.now()
    use.received = socket.bytesRead
  })
}

/**
 * Watches a server's connections, so that it can be stopped without harm to a request: every answer from then on says
 * `Connection: close`, and only what is quiet is closed. Resolves with the number of connections that had to be cut.
 */
export const gracefulStop = (server: Server): ((bounds: StopBounds) => Promise<number>) => {
  const connections = new Map<Socket, Use>()
  let taken = 0
  let stopping: Promise<number> | undefined

  server.on('connection', (socket) => {
    taken += 1
    connections.set(socket, { answers: new Set(), since: performance.now(), received: 0 })
    socket.once('close', () => connections.delete(socket))
  })
  server.prependListener('request', (request, answer) => {
    if (stopping !== undefined) sayLast(answer)
    const use = connections.get(request.socket)
    if (use !== undefined) begin(use, request, answer)
  })

  /**
   * Closing resets the connections that wait in the system's queue. Node takes one in each turn of its event loop: a turn
   * that took none, and was too short for one to come meanwhile, leaves none behind.
   */
  const emptyQueue = async (): Promise<void> => {
    const until = performance.now() + longestQueueMs
    for (let began = performance.now(); began < until; ) {
      const before = taken
      await turn()
      await turn()
      const now = performance.now()
      if (taken === before && now - began < shortTurnsMs) return
      began = now
    }
  }

  const closeQuiet = (quietMs: number): void => {
    for (const [socket, use] of connections) if (isQuiet(socket, use, quietMs)) socket.destroy()
  }

  const stop = async ({ drainMs, quietMs, stopMs }: StopBounds): Promise<number> => {
    for (const { answers } of connections.values()) for (const answer of answers) sayLast(answer)
    if (drainMs > 0) await sleep(drainMs)
    await emptyQueue()
    let cut = 0
    const sweep = setInterval(closeQuiet, sweepMs, quietMs)
    const bound = setTimeout(() => {
      cut = connections.size
      server.closeAllConnections()
    }, stopMs)
    // HTTP's own close would end idle connections at once, under requests that are on their way.
    await new Promise((closed) => NetServer.prototype.close.call(server, closed))
    clearInterval(sweep)
    clearTimeout(bound)
    // Nothing is left to close but a timer, which looks for slow requests.
    server.close()
    return cut
  }

  return (bounds) => {
    stopping ??= stop(bounds)
    return stopping
  }
}
