import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Why the server cuts an answer after its head, other than a failure of storage or registry. The log line shows the message as
 * `cut`, and metrics count the failure `cut`. A streamed body that must end early throws one.
 */
export class AnswerCut extends Error {}

export const cutAnswer = (response: ServerResponse, reason: string): void => {
  resetAnswer(response, new AnswerCut(reason))
}

/** Ends an answer that is not complete. To HTTP/1.0 a connection without a reset would look like the end of the body. */
export const resetAnswer = (response: ServerResponse, cause: Error): void => {
  resetConnection(response.req.socket)
  response.destroy(cause)
}

/** A unix socket has no reset. It is closed. */
export const resetConnection = (socket: Socket): void => {
  if (socket.remoteAddress === undefined) socket.destroy()
  else socket.resetAndDestroy()
}

/** `undefined` for an answer that the server did not cut. */
export const cutReason = ({ errored }: ServerResponse): string | undefined =>
  errored instanceof AnswerCut ? errored.message : undefined
