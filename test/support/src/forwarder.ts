import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

export interface Forwarder {
  readonly connectionString: string
  readonly hang: () => void
  /** Closes open and further connections. */
  readonly cut: () => void
  /** Forwards new connections again; bytes of open ones are lost. */
  readonly revive: () => void
  readonly close: () => Promise<unknown>
}

/** A proxy of PostgreSQL that can hang, as when a firewall forgets its connections. */
export const forwarder = async (to: URL): Promise<Forwarder> => {
  const sockets = new Set<Socket>()
  const state = { hangs: false, isCut: false }
  const endAll = (): void => {
    for (const socket of sockets) socket.destroy()
    sockets.clear()
  }

  const join = (from: Socket): void => {
    if (state.isCut) {
      from.destroy()
      return
    }
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

  const server = createServer(join).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const url = new URL(to)
  url.host = `127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
  return {
    connectionString: url.href,
    hang: () => {
      state.hangs = true
    },
    cut: () => {
      state.isCut = true
      endAll()
    },
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
