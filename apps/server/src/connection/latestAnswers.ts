import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

export type LatestAnswer = (socket: Socket) => ServerResponse | undefined

const own = Symbol('latest answer')

type Carrier = Socket & { [own]?: ServerResponse }

/**
 * The answer to the latest request of each connection. Those to earlier ones end before it does. The connection carries
 * it: in a `WeakMap` it would outlive a short connection until the next full collection.
 */
export const latestAnswers = (server: Server): LatestAnswer => {
  server.prependListener('request', ({ socket }: IncomingMessage, answer: ServerResponse) => {
    const carrier: Carrier = socket
    carrier[own] = answer
  })
  return (socket: Carrier) => socket[own]
}

/**
 * Goes on once an answer is sent and has let its connection go, which it does a little later, and at once after none; also
 * when the connection is gone.
 */
export const after = (answer: ServerResponse | undefined, goOn: () => void): void => {
  if (answer === undefined || (answer.writableFinished && answer.socket === null)) goOn()
  else answer.once('close', goOn)
}
