import type { RequestListener } from 'node:http'
import { connect, type Socket } from 'node:net'
import * as E from 'fp-ts/lib/Either.js'
import { afterEach } from 'vitest'
import { httpServer } from '../../src/http/connections.js'
import { listen, type RunningServer } from '../../src/http/listen.js'

/** Listens as often as a test asks for it, and connects. All of it is over after each test. */
export const listenings = (maxConnections = 10) => {
  const started: Array<RunningServer> = []
  const sockets: Array<Socket> = []
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy()
    await Promise.all(started.splice(0).map(({ stop }) => stop()))
  })
  return {
    serve: async (handler: RequestListener): Promise<RunningServer> => {
      const listening = await listen(httpServer(handler, { maxConnections, idleMs: 65_000 }), {
        host: '127.0.0.1',
        port: 0,
      })()
      if (E.isLeft(listening)) throw new Error(listening.left)
      started.push(listening.right)
      return listening.right
    },
    open: (port: number, allowHalfOpen = false): Socket => {
      const socket = connect({ port, host: '127.0.0.1', allowHalfOpen })
      sockets.push(socket)
      return socket
    },
  }
}
