import type { Socket } from 'node:net'
import * as Answers from './Answers.js'

/**
 * Ends a connection at once. One with an answer on its way is reset: to HTTP/1.0 the end of the connection is the end of
 * the body, and only a reset tells that it is none.
 */
export const cut = (socket: Socket): void => {
  const { current } = Answers.of(socket)
  if (current?.headersSent === true && !current.writableFinished) socket.resetAndDestroy()
  else socket.destroy()
}
