import type { Server } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Stop, StopBounds } from './connections.js'

export interface Address {
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
}

/** A server that answers on a port. */
export interface RunningServer {
  readonly url: string
  readonly port: number
  readonly stop: (bounds?: StopBounds) => Promise<number>
}

export const urlAt = (host: string, port: number): string => `http://${host.includes(':') ? `[${host}]` : host}:${port}`

const atOnce: StopBounds = { drainMs: 0, quietMs: 0, stopMs: 30_000 }

const errorOf = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)))

/**
 * Serves on a port. In a worker of a cluster the port is shared with the other workers. `onNotAccepted` is called when the
 * system cannot accept a connection, for lack of memory or descriptors: the next one may work.
 */
export const listen = (
  { server, stop }: { readonly server: Server; readonly stop: Stop },
  { host, port }: Address,
  onNotAccepted: (cause: Error) => void = () => undefined,
): TE.TaskEither<Error, RunningServer> =>
  TE.tryCatch(
    () =>
      new Promise((resolve, reject) => {
        server.once('error', reject)
        server.listen(port, host, () => {
          server.off('error', reject).on('error', onNotAccepted)
          const bound = (server.address() as AddressInfo).port
          resolve({ url: urlAt(host, bound), port: bound, stop: (bounds = atOnce) => stop(bounds) })
        })
      }),
    errorOf,
  )

/** Whether a server may listen on this host: it takes a free port, and closes it at once. */
export const isOwnAddress = (host: string): TE.TaskEither<Error, void> =>
  TE.tryCatch(
    () =>
      new Promise<void>((resolve, reject) => {
        const server = createServer().once('error', reject)
        server.listen({ host, port: 0 }, () => server.close(() => resolve()))
      }),
    errorOf,
  )

/** The variables that say where to listen. */
interface Variables {
  readonly host: string
  readonly port: string
}

export const serviceVariables: Variables = { host: 'CANOPY_HOST', port: 'CANOPY_PORT' }
export const metricsVariables: Variables = { host: 'CANOPY_METRICS_HOST', port: 'CANOPY_METRICS_PORT' }

const wrongPort = new Set(['EADDRINUSE', 'EACCES'])
const wrongHost = new Set(['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EINVAL'])

/** Why an address cannot be listened on, and the variable to change. */
export const whyNotListening = (error: Error, { host, port }: Variables): string => {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  const hint = wrongPort.has(code)
    ? `: choose another ${port}`
    : wrongHost.has(code)
      ? `: ${host} must be an address of this machine`
      : ''
  return `${error.message}${hint}`
}
