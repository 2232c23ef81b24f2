import cluster from 'node:cluster'
import { chmodSync, constants } from 'node:fs'
import { access, lstat, rm } from 'node:fs/promises'
import type { Server } from 'node:http'
import { type AddressInfo, connect, createServer, type Server as NetServer } from 'node:net'
import { dirname } from 'node:path'
import { Installation, reasonOf } from '@canopy/installation'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Stop, StopTimeouts } from './connections.js'

export interface Address {
  /** Or the path of a unix socket. */
  readonly host: string
  /** 0 for any free port. Ignored for a unix socket. */
  readonly port: number
}

export interface RunningServer {
  readonly url: string
  readonly port: number
  readonly stop: (timeouts?: StopTimeouts) => Promise<number>
}

const immediately: StopTimeouts = { drainMs: 0, quietMs: 0, stopMs: 30_000 }

/** The prefix of the variables with host and port. */
export type Variables = 'CANOPY' | 'CANOPY_METRICS'

const portErrors = new Set(['EADDRINUSE', 'EACCES'])
const hostErrors = new Set(['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EINVAL'])

/** Returns the error of an address, and the variable to change. */
export const cannotListen =
  ({ host, port }: Address, variables: Variables) =>
  (error: NodeJS.ErrnoException): string => {
    const isPath = Installation.isSocket(host)
    const hint =
      portErrors.has(error.code ?? '') && !isPath
        ? `: choose another port (${variables}_PORT)`
        : hostErrors.has(error.code ?? '')
          ? `: the host (${variables}_HOST) must be an address of this machine`
          : ''
    const address = host.includes(':') ? `[${host}]` : host
    return `cannot listen on ${isPath ? host : `${address}:${port}`}: ${error.message}${hint}`
  }

/**
 * Reports whether a socket exists at this path. Rejects with a hint if none can be created. Not by `lstatSync`: after it has
 * seen a socket, Node 20 resolves the next import wrongly.
 */
const socketExists = async (path: string): Promise<boolean> => {
  await access(dirname(path), constants.W_OK | constants.X_OK).catch((cause: unknown) => {
    const hint = 'CANOPY_HOST must be a path in an existing directory that this user can write to'
    return Promise.reject(new Error(`${reasonOf(cause)}: ${hint}`))
  })
  const stats = await lstat(path).catch(() => undefined)
  if (stats?.isSocket() === false)
    return Promise.reject(new Error('the file is not a socket: remove it or choose another CANOPY_HOST'))
  return stats !== undefined
}

/**
 * Reports whether the server of this socket has ended. A busy server, or a server of another user, refuses with another error.
 */
const isAbandoned = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(path, () => {
      socket.destroy()
      resolve(false)
    }).on('error', (error) => resolve('code' in error && error.code === 'ECONNREFUSED'))
  })

/** Removes the socket of a server that was killed, because no other server could listen there. Other files stay. */
export const freeSocket = (host: string): TE.TaskEither<Error, void> =>
  TE.tryCatch(async () => {
    if (!Installation.isSocket(host) || !(await socketExists(host))) return
    if (!(await isAbandoned(host)))
      throw new Error('another server is listening there: stop it or choose another CANOPY_HOST')
    await rm(host)
  }, E.toError)

/** Like a port, open to everyone on this machine. The permissions of its directory decide who reaches it. */
const socketMode = 0o666

/** Resolves with the port; 0 for a socket. */
const bind = (server: NetServer, { host, port }: Address): Promise<number> =>
  new Promise((resolve, reject) => {
    const isSocket = Installation.isSocket(host)
    server.once('error', reject)
    server.listen(isSocket ? { path: host } : { host, port }, () => {
      server.off('error', reject)
      try {
        if (isSocket) chmodSync(host, socketMode)
        resolve(isSocket ? 0 : (server.address() as AddressInfo).port)
      } catch (thrown) {
        reject(thrown)
      }
    })
  })

/** Serves at an address. In a worker of a cluster it is shared with the other workers. */
export const listen = (
  { server, stop }: { readonly server: Server; readonly stop: Stop },
  address: Address,
  variables: Variables = 'CANOPY',
): TE.TaskEither<string, RunningServer> =>
  pipe(
    // Workers share their socket.
    cluster.isWorker ? TE.right(undefined) : freeSocket(address.host),
    TE.flatMap(() => TE.tryCatch(() => bind(server, address), E.toError)),
    TE.bimap(cannotListen(address, variables), (port) => ({
      url: Installation.urlAt(address.host, port),
      port,
      stop: (timeouts = immediately) => stop(timeouts),
    })),
  )

/**
 * Reports whether a server can listen at this host: listens on a free port for a moment. For a unix socket it checks only the
 * directory, because a server may listen there already.
 */
export const mayListen = (address: Address, variables: Variables): TE.TaskEither<string, unknown> =>
  pipe(
    TE.tryCatch(async (): Promise<unknown> => {
      if (Installation.isSocket(address.host)) return socketExists(address.host)
      const server = createServer()
      await bind(server, { ...address, port: 0 })
      return server.close()
    }, E.toError),
    TE.mapLeft(cannotListen(address, variables)),
  )
