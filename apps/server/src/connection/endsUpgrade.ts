import type { IncomingMessage, ServerResponse } from 'node:http'

/**
 * Whoever asks for another protocol is answered in this one, and its connection ends: Node drops what comes behind it in
 * the same packet, so that the next one may begin anywhere in a request.
 */
export const endsUpgrade = ({ headers }: IncomingMessage, response: ServerResponse): void => {
  if (headers.upgrade !== undefined && /upgrade/i.test(headers.connection ?? '')) response.shouldKeepAlive = false
}
