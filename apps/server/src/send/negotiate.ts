import type { IncomingMessage } from 'node:http'
import accepts from 'accepts'
import { type Encoding, encodings } from './compress.js'

const offered = [...encodings, 'identity']

/** What the client takes; `undefined` for the bytes as they are. */
export const negotiate = ({ headers }: IncomingMessage): Encoding | undefined => {
  const accepted = headers['accept-encoding']
  if (accepted === undefined) return undefined
  // Nothing in it depends on case (RFC 9110, 5.6.6 and 12.5.3), but the library reads `q` alone, not `Q`.
  const request = { headers: { 'accept-encoding': accepted.toLowerCase() } } as IncomingMessage
  const preferred = accepts(request).encodings(offered)
  return encodings.find((candidate) => candidate === preferred)
}
