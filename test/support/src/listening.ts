import { once } from 'node:events'
import type { Server as HttpServer } from 'node:http'
import type { AddressInfo, Server } from 'node:net'

/** Listens on a free port of the loopback interface, or on the given one, and returns the port. */
export const listening = async (server: Server, port = 0): Promise<number> => {
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** Closes a server with its connections. */
export const closed = async (server: HttpServer): Promise<void> => {
  const close = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await close
}
