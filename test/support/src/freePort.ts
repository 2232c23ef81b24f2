import { once } from 'node:events'
import { createServer } from 'node:net'
import { listening } from './listening.js'

/** A port of the loopback interface that was free a moment ago. */
export const freePort = async (): Promise<number> => {
  const server = createServer()
  const port = await listening(server)
  server.close()
  await once(server, 'close')
  return port
}
