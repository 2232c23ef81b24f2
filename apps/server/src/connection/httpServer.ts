import { createServer, type RequestListener, type Server } from 'node:http'
import { answerConnect } from './answerConnect.js'
import { answerMalformed, type OnMalformed } from './answerMalformed.js'
import { connectionOptions, limitConnections } from './connectionLimits.js'
import { endsUpgrade } from './endsUpgrade.js'
import { gracefulStop, type Stop } from './gracefulStop.js'
import { linger } from './linger.js'
import { oneByOne } from './oneByOne.js'
import { timeFirstRequests } from './timeFirstRequests.js'

export interface HttpOptions {
  readonly maxConnections: number
  readonly onMalformed?: OnMalformed
}

interface HttpServer {
  readonly server: Server
  readonly stop: Stop
}

/** A server that has no connections yet, with everything that holds for each it will be given. */
export const httpServer = (
  handler: RequestListener,
  { maxConnections, onMalformed = () => undefined }: HttpOptions,
): HttpServer => {
  const server = createServer(connectionOptions, oneByOne(handler))
  limitConnections(server, maxConnections)
  timeFirstRequests(server)
  // What Node does behind the last answer of a connection.
  server.on('connection', (socket) => {
    socket.destroySoon = () => linger(socket)
  })
  server.prependListener('request', endsUpgrade)
  server.on('clientError', answerMalformed(onMalformed))
  server.on('connect', answerConnect(server))
  // What is expected beyond `100-continue` is not met, and not refused either: the request is answered.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
  return { server, stop: gracefulStop(server) }
}
