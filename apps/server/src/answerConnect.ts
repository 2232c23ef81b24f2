import { type IncomingMessage, type Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Node hands a CONNECT over as a bare connection. It is answered as any other request, and closed. */
export const answerConnect =
  (server: Server) =>
  (request: IncomingMessage, socket: Socket): void => {
    const response = new ServerResponse(request)
    response.shouldKeepAlive = false
    response.assignSocket(socket)
    response.once('finish', () => {
      response.detachSocket(socket)
      socket.end()
      response.emit('close')
    })
    socket.on('error', () => socket.destroy())
    server.emit('request', request, response)
  }
