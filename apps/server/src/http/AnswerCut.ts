import type { ServerResponse } from 'node:http'

/**
 * The reason why the server cuts an answer after its head, without a failure of storage or registry. The log line shows the
 * message as `cut`, and metrics count the failure `cut`. A streamed body that must end early throws one.
 */
export class AnswerCut extends Error {}

/** Resets the connection: to HTTP/1.0 a mere end would be the end of the body. */
export const cutAnswer = (response: ServerResponse, reason: string): void => {
  response.socket?.resetAndDestroy()
  response.destroy(new AnswerCut(reason))
}

/** `undefined` for an answer that the server did not cut. */
export const cutReason = ({ errored }: ServerResponse): string | undefined =>
  errored instanceof AnswerCut ? errored.message : undefined
