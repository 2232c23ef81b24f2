import cluster from 'node:cluster'
import { chmodSync, constants } from 'node:fs'
import { access, lstat, rm } from 'node:fs/promises'
import type { Server } from 'node:http'
import { type AddressInfo, connect, createServer, type Server as NetServer } from 'node:net'
import { dirname } from 'node:path'
import { causeOf, Installation } from '@canopy/installation'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Stop, StopBounds } from './connections.js'

export interface Address {
  /** Or the path of a unix socket. */
  readonly host: string
  /** 0 takes a free one. A socket has none. */
  readonly port: number
}

/** A server that answers. */
export interface RunningServer {
  readonly url: string
  readonly port: number
  readonly stop: (bounds?: StopBounds) => Promise<number>
}

const atOnce: StopBounds = { drainMs: 0, quietMs: 0, stopMs: 30_000 }

/** How the names of the variables begin that say where to listen. */
export type Variables = 'CANOPY' | 'CANOPY_METRICS'

const wrongPort = new Set(['EADDRINUSE', 'EACCES'])
const wrongHost = new Set(['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EINVAL'])

/** Why an address cannot be listened on, and the variable to change. */
export const cannotListen =
  ({ host, port }: Address, variables: Variables) =>
  (error: NodeJS.ErrnoException): string => {
    const hint = wrongPort.has(error.code ?? '')
      ? `: choose another ${variables}_PORT`
      : wrongHost.has(error.code ?? '')
        ? `: ${variables}_HOST must be an address of this machine`
        : ''
    return `cannot listen on ${Installation.isSocket(host) ? host : `${host}:${port}`}: ${error.message}${hint}`
  }

/**
 * Whether there is a socket at this path. Rejects, with what to do, where there can be none. Not by `lstatSync`: after it has
 * seen a socket, Node 20 resolves the next import wrongly.
 */
const isSocketThere = async (path: string): Promise<boolean> => {
  await access(dirname(path), constants.W_OK | constants.X_OK).catch((cause: unknown) => {
    const where = 'CANOPY_HOST must be a path in a directory that is there and that this user may write'
    return Promise.reject(new Error(`${causeOf(cause)}: ${where}`))
  })
  const found = await lstat(path).catch(() => undefined)
  if (found?.isSocket() === false)
    return Promise.reject(new Error('a file is there that is no socket: remove it, or choose another CANOPY_HOST'))
  return found !== undefined
}

/** Whether no server listens at this socket any more. A busy server, or one of another user, refuses in another way. */
const isAbandoned = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(path, () => {
      socket.destroy()
      resolve(false)
    }).on('error', (error) => resolve('code' in error && error.code === 'ECONNREFUSED'))
  })

/**
 * Makes room for a socket: a server that was killed left its own, and no other can listen there. One that a server has stays,
 * and so does any other file. An address that is no path needs no room.
 */
export const freeSocket = (host: string): TE.TaskEither<Error, void> =>
  TE.tryCatch(async () => {
    if (!Installation.isSocket(host) || !(await isSocketThere(host))) return
    if (!(await isAbandoned(host)))
      throw new Error('another server listens there: stop it, or choose another CANOPY_HOST')
    await rm(host)
  }, E.toError)

/** As on a port, everyone on this machine may connect: the directory of a socket says who reaches it. */
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

/**
 * Serves at an address. In a worker of a cluster it is shared with the other workers. `onNotAccepted` is called when the
 * system cannot accept a connection, for lack of memory or descriptors: the next one may work.
 */
export const listen = (
  { server, stop }: { readonly server: Server; readonly stop: Stop },
  address: Address,
  variables: Variables = 'CANOPY',
): TE.TaskEither<string, RunningServer> =>
  pipe(
    // The socket that a worker finds is its siblings' too.
    cluster.isWorker ? TE.right(undefined) : freeSocket(address.host),
    TE.flatMap(() => TE.tryCatch(() => bind(server, address), E.toError)),
    TE.bimap(cannotListen(address, variables), (port) => ({
      url: Installation.urlAt(address.host, port),
      port,
      stop: (bounds = atOnce) => stop(bounds),
    })),
  )

/**
 * Whether a server may listen at this host: it takes a free port, and closes it at once. Of a socket it looks at the place
 * alone, where a server may listen already.
 */
export const mayListen = (address: Address, variables: Variables): TE.TaskEither<string, unknown> =>
  pipe(
    TE.tryCatch(async (): Promise<unknown> => {
      if (Installation.isSocket(address.host)) return isSocketThere(address.host)
      const server = createServer()
      await bind(server, { ...address, port: 0 })
      return server.close()
    }, E.toError),
    TE.mapLeft(cannotListen(address, variables)),
  )
