import type { IncomingMessage } from 'node:http'
import accepts from 'accepts'
import { type Encoding, encodings } from './compress.js'

const offered = [...encodings, 'identity']

/** What the client takes; `undefined` for the bytes as they are. */
export const negotiate = (request: IncomingMessage): Encoding | undefined => {
  if (request.headers['accept-encoding'] === undefined) return undefined
  const accepted = accepts(request).encodings(offered)
  return encodings.find((candidate) => candidate === accepted)
}
