import { type IncomingMessage, type Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Whoever has its answer has nothing more to say; in milliseconds. */
const lingerMs = 2_000

/**
 * Node hands a CONNECT over as a bare connection. It is answered as any other request, and closed: what comes is read, or
 * the end of it would not be heard, and whoever does not close its side is cut.
 */
export const answerConnect =
  (server: Server) =>
  (request: IncomingMessage, socket: Socket): void => {
    const response = new ServerResponse(request)
    response.shouldKeepAlive = false
    response.assignSocket(socket)
    response.once('finish', () => {
      response.detachSocket(socket)
      socket.end()
      const cut = setTimeout(() => socket.destroy(), lingerMs).unref()
      socket.once('close', () => clearTimeout(cut))
      response.emit('close')
    })
    socket.on('error', () => socket.destroy())
    socket.resume()
    server.emit('request', request, response)
  }
