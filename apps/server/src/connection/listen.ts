import type { RequestListener, Server } from 'node:http'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { StopBounds } from './gracefulStop.js'
import { type HttpOptions, httpServer } from './httpServer.js'
import { type Address, listenAt, type Port } from './listenAt.js'

export interface Listening {
  readonly url: string
  readonly port: number
  /**
   * Takes no new connection, finishes the requests in flight, then resolves with the number of connections that had to
   * be cut.
   */
  readonly stop: (bounds?: StopBounds) => Promise<number>
}

interface ListenOptions extends Address, HttpOptions {
  readonly onNotAccepted?: (cause: Error) => void
}

const atOnce: StopBounds = { drainMs: 0, quietMs: 0, stopMs: 30_000 }

/** Serves what comes to a port, once that is open. */
export const serveAt = <E>(
  handler: RequestListener,
  options: HttpOptions,
  open: (server: Server) => TE.TaskEither<E, Port>,
): TE.TaskEither<E, Listening> => {
  const { server, stop } = httpServer(handler, options)
  return pipe(
    open(server),
    TE.map(({ url, port, close }) => ({ url, port, stop: (bounds = atOnce) => stop(bounds, close) })),
  )
}

export const listen = (
  handler: RequestListener,
  { onNotAccepted = () => undefined, ...options }: ListenOptions,
): TE.TaskEither<Error, Listening> => serveAt(handler, options, (server) => listenAt(server, options, onNotAccepted))
