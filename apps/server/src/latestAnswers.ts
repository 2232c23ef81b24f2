import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

export type LatestAnswer = (socket: Socket) => ServerResponse | undefined

/** The answer to the latest request of each connection. Those to earlier ones end before it does. */
export const latestAnswers = (server: Server): LatestAnswer => {
  const latest = new WeakMap<Socket, ServerResponse>()
  server.prependListener('request', ({ socket }: IncomingMessage, answer: ServerResponse) => latest.set(socket, answer))
  return (socket) => latest.get(socket)
}
