import type { ServerResponse } from 'node:http'

/**
 * Why the server cuts an answer after its head, other than a failure of storage or registry. The log line shows the message as
 * `cut`, and metrics count the failure `cut`. A streamed body that must end early throws one.
 */
export class AnswerCut extends Error {}

export const cutAnswer = (response: ServerResponse, reason: string): void => {
  resetAnswer(response, new AnswerCut(reason))
}

/** Resets the connection: HTTP/1.0 would take a mere end for the end of the body. A unix socket can only be closed. */
export const resetAnswer = (response: ServerResponse, cause: Error): void => {
  const { socket } = response.req
  if (socket.remoteAddress === undefined) socket.destroy()
  else socket.resetAndDestroy()
  response.destroy(cause)
}

/** `undefined` for an answer that the server did not cut. */
export const cutReason = ({ errored }: ServerResponse): string | undefined =>
  errored instanceof AnswerCut ? errored.message : undefined
