import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Why the server cuts a response after its head, except for a failure of storage or registry. The log line shows the message as
 * `cut`, and metrics count the failure `cut`. A streamed body that must end early throws one.
 */
export class ResponseCut extends Error {}

export const cutResponse = (response: ServerResponse, reason: string): void => {
  resetResponse(response, new ResponseCut(reason))
}

/** Ends an incomplete response. In HTTP/1.0, a connection that closes without a reset would look like the end of the body. */
export const resetResponse = (response: ServerResponse, cause: Error): void => {
  resetConnection(response.req.socket)
  response.destroy(cause)
}

/** Resets a connection. A unix socket has no reset, so it is closed. */
export const resetConnection = (socket: Socket): void => {
  if (socket.remoteAddress === undefined) socket.destroy()
  else socket.resetAndDestroy()
}

/** Returns why the server cut a response; `undefined` if it did not. */
export const cutReason = ({ errored }: ServerResponse): string | undefined =>
  errored instanceof ResponseCut ? errored.message : undefined
