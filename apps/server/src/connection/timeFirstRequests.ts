import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'

/** As Node names it. Made once: a stack for each of many takes longer than to cut them. */
const tooLate = Object.assign(new Error('the first request did not come in time'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })

/** Those that are due are looked for so often, in milliseconds: a few at a time, so that nobody waits behind them. */
const lookMs = 10

/**
 * Reports connections whose first request has not come within `headersTimeout`. Node reports them too, but walks over all
 * open connections to find them, which takes as long as a request when thousands are slow: so it does that seldom, for later
 * requests and for bodies. Here they stand in the order in which they are due.
 */
export const timeFirstRequests = (server: Server): void => {
  const came = new Map<Socket, number>()
  let timer: NodeJS.Timeout | undefined

  const lookAgain = (): void => {
    const [first] = came.values()
    if (first === undefined) timer = undefined
    else timer = setTimeout(look, Math.max(lookMs, first + server.headersTimeout - performance.now())).unref()
  }

  const look = (): void => {
    const due = performance.now() - server.headersTimeout
    for (const [socket, at] of came) {
      if (at > due) break
      came.delete(socket)
      server.emit('clientError', tooLate, socket)
    }
    lookAgain()
  }

  // One for all connections: a function for each would be memory of each.
  function gone(this: Socket): void {
    came.delete(this)
  }

  server.on('connection', (socket) => {
    came.set(socket, performance.now())
    socket.on('close', gone)
    if (timer === undefined) lookAgain()
  })
  const begun = ({ socket }: IncomingMessage): void => void came.delete(socket)
  server.prependListener('request', begun)
  server.prependListener('connect', begun)
}
