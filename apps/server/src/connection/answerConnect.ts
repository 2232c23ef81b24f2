import { type IncomingMessage, type Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import * as Answers from './Answers.js'
import { idleMs } from './connectionLimits.js'
import { cut } from './cut.js'
import { linger } from './linger.js'
import { readOn } from './reading.js'

/**
 * Node hands a CONNECT over as a bare connection, of which it looks after nothing any more: neither its errors, nor its
 * end, its idleness, or a body that waits for its client. It is answered as any other request, once all requests before it
 * have their answers, and closed.
 */
export const answerConnect = (server: Server) => {
  const answer = (request: IncomingMessage, socket: Socket): void => {
    const response = new ServerResponse(request)
    response.shouldKeepAlive = false
    response.assignSocket(socket)
    response.once('finish', () => {
      response.detachSocket(socket)
      linger(socket)
      response.emit('close')
    })
    server.emit('request', request, response)
  }

  return (request: IncomingMessage, socket: Socket): void => {
    socket.on('error', () => socket.destroy())
    socket.once('end', () => socket.destroy())
    socket.on('drain', () => Answers.of(socket).current?.emit('drain'))
    socket.setTimeout(idleMs, () => cut(socket))
    readOn(socket)
    Answers.after(Answers.of(socket).latest, () => {
      if (socket.writable) answer(request, socket)
    })
  }
}
