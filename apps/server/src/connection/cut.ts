import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Ends a connection at once. One with an answer on its way is reset: to HTTP/1.0 the end of the connection is the end of
 * the body, and only a reset tells that it is none.
 */
export const cut = (socket: Socket, latest: ServerResponse | undefined): void => {
  if (latest?.headersSent === true && !latest.writableFinished) socket.resetAndDestroy()
  else socket.destroy()
}
