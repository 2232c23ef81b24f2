import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { answerConnect } from './answerConnect.js'
import { answerMalformed, type OnMalformed } from './answerMalformed.js'
import { connectionOptions, limitConnections } from './connectionLimits.js'
import { endsUpgrade } from './endsUpgrade.js'
import { gracefulStop, type StopBounds } from './gracefulStop.js'
import { linger } from './linger.js'
import { oneByOne } from './oneByOne.js'
import { timeFirstRequests } from './timeFirstRequests.js'

export interface Listening {
  readonly url: string
  readonly port: number
  /**
   * Takes no new connection, finishes the requests in flight, then resolves with the number of connections that had to
   * be cut.
   */
  readonly stop: (bounds?: StopBounds) => Promise<number>
}

const hostInUrl = (host: string): string => (host.includes(':') ? `[${host}]` : host)

interface ListenOptions {
  readonly host: string
  readonly port: number
  readonly maxConnections: number
  readonly onMalformed?: OnMalformed
  /** Told of a connection that the system could not hand over, for lack of memory, say. The next one may come. */
  readonly onNotAccepted?: (cause: Error) => void
}

const atOnce: StopBounds = { drainMs: 0, arrivalMs: 0, quietMs: 0, stopMs: 30_000 }

export const listen = (
  handler: RequestListener,
  { host, port, maxConnections, onMalformed = () => undefined, onNotAccepted = () => undefined }: ListenOptions,
): TE.TaskEither<Error, Listening> =>
  TE.tryCatch(
    () =>
      new Promise<Listening>((resolve, reject) => {
        const server = createServer(connectionOptions, oneByOne(handler))
        limitConnections(server, maxConnections)
        timeFirstRequests(server)
        // What Node does behind the last answer of a connection.
        server.on('connection', (socket) => {
          socket.destroySoon = () => linger(socket)
        })
        server.prependListener('request', endsUpgrade)
        server.on('clientError', answerMalformed(onMalformed))
        server.on('connect', answerConnect(server))
        // What is expected beyond `100-continue` is not met, and not refused either: the request is answered.
        server.on('checkExpectation', (request, response) => server.emit('request', request, response))
        const stop = gracefulStop(server)
        server.once('error', reject)
        server.listen(port, host, () => {
          server.off('error', reject).on('error', onNotAccepted)
          const bound = (server.address() as AddressInfo).port
          resolve({ url: `http://${hostInUrl(host)}:${bound}`, port: bound, stop: (bounds = atOnce) => stop(bounds) })
        })
      }),
    (thrown) => (thrown instanceof Error ? thrown : new Error(String(thrown))),
  )
