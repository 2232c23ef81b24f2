import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { answerMalformed } from './answerMalformed.js'
import { gracefulStop, type StopBounds } from './cluster/gracefulStop.js'
import { connectionOptions, limitConnections } from './defence/connectionLimits.js'

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

const atOnce: StopBounds = { drainMs: 0, quietMs: 0, stopMs: 30_000 }

export const listen = (
  handler: RequestListener,
  { host, port, maxConnections }: { readonly host: string; readonly port: number; readonly maxConnections: number },
): TE.TaskEither<Error, Listening> =>
  TE.tryCatch(
    () =>
      new Promise<Listening>((resolve, reject) => {
        const server = createServer(connectionOptions, handler)
        limitConnections(server, maxConnections)
        server.on('clientError', answerMalformed)
        const stop = gracefulStop(server)
        server.once('error', reject)
        server.listen(port, host, () => {
          const bound = (server.address() as AddressInfo).port
          resolve({ url: `http://${hostInUrl(host)}:${bound}`, port: bound, stop: (bounds = atOnce) => stop(bounds) })
        })
      }),
    (thrown) => (thrown instanceof Error ? thrown : new Error(String(thrown))),
  )
