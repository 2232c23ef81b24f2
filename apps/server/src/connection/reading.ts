import type { Socket } from 'node:net'

function holdAgain(this: Socket): void {
  this.pause()
}

/** Node's parser reads on at the end of every request, whoever has paused the connection. */
export const holdBack = (socket: Socket): void => {
  socket.on('resume', holdAgain)
  socket.pause()
}

/** Whether or not it was held back, and also where Node's parser has left the connection meanwhile. */
export const readOn = (socket: Socket): void => {
  socket.off('resume', holdAgain)
  // What the parser took never came through the stream, which waits for it and does not ask the system again.
  socket.push('')
  socket.resume()
}
