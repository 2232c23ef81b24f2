import { type AddressInfo, Server } from 'node:net'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { takeWaiting } from './takeWaiting.js'

export interface Address {
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
}

/** A port that is listened on. */
export interface Port {
  readonly url: string
  readonly port: number
  /** Takes the connections that wait, and no more. */
  readonly close: () => Promise<void>
}

const hostInUrl = (host: string): string => (host.includes(':') ? `[${host}]` : host)

/**
 * Lets a server listen. `onNotAccepted` is told of a connection that the system could not hand over, for lack of memory, say:
 * the next one may come.
 */
export const listenAt = (
  server: Server,
  { host, port }: Address,
  onNotAccepted: (cause: Error) => void,
): TE.TaskEither<Error, Port> =>
  TE.tryCatch(
    () =>
      new Promise<Port>((resolve, reject) => {
        server.once('error', reject)
        server.listen(port, host, () => {
          server.off('error', reject).on('error', onNotAccepted)
          const bound = (server.address() as AddressInfo).port
          const close = async (): Promise<void> => {
            await takeWaiting(server)
            // HTTP's own close would end idle connections at once, under requests that are on their way.
            Server.prototype.close.call(server)
          }
          resolve({ url: `http://${hostInUrl(host)}:${bound}`, port: bound, close })
        })
      }),
    (thrown) => (thrown instanceof Error ? thrown : new Error(String(thrown))),
  )
