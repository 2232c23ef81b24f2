import type { Socket } from 'node:net'
import { readOn } from './reading.js'

/** Whoever has its last answer has nothing more to say; in milliseconds. */
const lingerMs = 2_000

/**
 * Ends a connection behind its last answer, and reads what still comes until the client ends it too. A connection that is
 * closed with something unread is reset, and the client loses answers that it has not read yet (RFC 9112, 9.6).
 */
export const linger = (socket: Socket): void => {
  socket.end()
  // Nobody takes it for requests any more: each would take memory until the connection is gone.
  socket.removeAllListeners('data')
  socket.on('data', () => undefined)
  readOn(socket)
  const late = setTimeout(() => socket.destroy(), lingerMs).unref()
  socket.once('close', () => clearTimeout(late))
}
