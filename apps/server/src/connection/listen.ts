import type { RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { StopBounds } from './gracefulStop.js'
import { type HttpOptions, httpServer } from './httpServer.js'

export interface Address {
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
}

/** A server that answers on a port. */
export interface Listening {
  readonly url: string
  readonly port: number
  /**
   * Accepts no new connection, finishes the requests in flight, then resolves with the number of connections that had to
   * be cut.
   */
  readonly stop: (bounds?: StopBounds) => Promise<number>
}

interface ListenOptions extends Address, HttpOptions {
  /** Called when the system cannot hand over a connection, for lack of memory or descriptors. The next one may work. */
  readonly onNotAccepted?: (cause: Error) => void
}

export const urlAt = (host: string, port: number): string => `http://${host.includes(':') ? `[${host}]` : host}:${port}`

const atOnce: StopBounds = { drainMs: 0, quietMs: 0, stopMs: 30_000 }

/** Serves on a port. In a worker of a cluster the port is shared with the other workers. */
export const listen = (
  handler: RequestListener,
  { host, port, onNotAccepted = () => undefined, ...options }: ListenOptions,
): TE.TaskEither<Error, Listening> =>
  TE.tryCatch(
    () =>
      new Promise((resolve, reject) => {
        const { server, stop } = httpServer(handler, options)
        server.once('error', reject)
        server.listen(port, host, () => {
          server.off('error', reject).on('error', onNotAccepted)
          const bound = (server.address() as AddressInfo).port
          resolve({ url: urlAt(host, bound), port: bound, stop: (bounds = atOnce) => stop(bounds) })
        })
      }),
    (thrown) => (thrown instanceof Error ? thrown : new Error(String(thrown))),
  )
