import type { RequestListener } from 'node:http'
import { Socket } from 'node:net'
import { type HttpOptions, httpServer } from '../connection/httpServer.js'
import type { Serving } from '../start.js'
import { tellPrimary } from './tellPrimary.js'
import { connection, enough, isGiven, last, missed, taken } from './words.js'

const untilLast = (): Promise<void> =>
  new Promise((resolve) => {
    process.on('message', (word) => {
      if (word === last) resolve()
    })
    tellPrimary(enough)
  })

/** Serves the connections that the primary hands over. */
export const receive = (handler: RequestListener, options: HttpOptions): Serving => {
  const { server, stop } = httpServer(handler, options)
  let come = 0
  process.on('message', (word, handedOver) => {
    if (isGiven(word) && come < word.given) {
      come = word.given
      tellPrimary(missed)
    }
    if (word !== connection) return
    come += 1
    // Before anything is read from it: what was not taken can be given to another.
    tellPrimary(taken)
    // Its client may have left meanwhile.
    if (!(handedOver instanceof Socket)) return
    // As of connections that a server of HTTP accepts.
    handedOver.allowHalfOpen = true
    server.emit('connection', handedOver)
  })
  // Node looks for late requests only once a server is said to listen.
  server.emit('listening')
  return { stop: (bounds) => stop(bounds, untilLast) }
}
