import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { answerMalformed } from './answerMalformed.js'
import { connectionOptions, limitConnections } from './defence/connectionLimits.js'

export interface Listening {
  readonly url: string
  readonly port: number
  /** Takes no new connection, finishes the requests in flight, then resolves. */
  readonly stop: () => Promise<void>
}

const hostInUrl = (host: string): string => (host.includes(':') ? `[${host}]` : host)

/** How often idle connections are looked for while stopping: one becomes idle when its last request is answered. */
const sweepMs = 20

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
        const stop = (): Promise<void> =>
          new Promise((stopped) => {
            const sweep = setInterval(() => server.closeIdleConnections(), sweepMs)
            server.close(() => {
              clearInterval(sweep)
              stopped()
            })
          })
        server.once('error', reject)
        server.listen(port, host, () => {
          const bound = (server.address() as AddressInfo).port
          resolve({ url: `http://${hostInUrl(host)}:${bound}`, port: bound, stop })
        })
      }),
    (thrown) => (thrown instanceof Error ? thrown : new Error(String(thrown))),
  )
