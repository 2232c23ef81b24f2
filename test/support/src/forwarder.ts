import { connect, createServer, type Socket } from 'node:net'
import { listening } from './listening.js'

/** A proxy of PostgreSQL that can hang, as when a firewall forgets its connections. */
export const forwarder = async (to: URL) => {
  const sockets = new Set<Socket>()
  const state = { hangs: false, isCut: false }
  const endAll = (): void => {
    for (const socket of sockets) socket.destroy()
    sockets.clear()
  }

  const join = (from: Socket): void => {
    if (state.isCut) return void from.destroy()
    const onwards = connect(Number(to.port), to.hostname)
    for (const [here, there] of [
      [from, onwards],
      [onwards, from],
    ] as const) {
      sockets.add(here)
      here.on('data', (bytes) => state.hangs || there.write(bytes))
      here.on('error', () => there.destroy())
      here.on('close', () => there.destroy())
    }
  }

  const server = createServer(join)
  const host = `127.0.0.1:${await listening(server)}`
  return {
    connectionString: Object.assign(new URL(to), { host }).href,
    hang: () => {
      state.hangs = true
    },
    /** Closes open and further connections. */
    cut: () => {
      state.isCut = true
      endAll()
    },
    /** Forwards new connections again; bytes of open ones are lost. */
    revive: () => {
      state.hangs = false
      state.isCut = false
    },
    close: () => {
      endAll()
      return new Promise((resolve) => server.close(resolve))
    },
  }
}
