import type { IncomingMessage } from 'node:http'
import { maxHeaders } from './defence/connectionLimits.js'
import { type BadRequest, badRequest, headTooLarge } from './Refusal.js'

type Head = Pick<IncomingMessage, 'rawHeaders' | 'httpVersion'>

/** A name or an address, and a port; both may be empty (RFC 3986, 3.2). */
const authority = /^(\[[0-9A-Fa-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(:[0-9]*)?$/

/** One Host header; a client of HTTP/1.0 may have none. */
const namesOneHost = ({ rawHeaders, httpVersion }: Head): boolean => {
  let hosts = 0
  let host = ''
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (rawHeaders[index]?.length === 4 && rawHeaders[index]?.toLowerCase() === 'host') {
      hosts += 1
      host = rawHeaders[index + 1] ?? ''
    }
  return hosts === 1 ? authority.test(host) : hosts === 0 && httpVersion === '1.0'
}

const isChunkedLast = /(?:^|,)[ \t]*chunked[ \t]*$/i

/** Where a body ends that is coded otherwise nobody knows (RFC 9112, 6.3). */
const framesItsBody = ({ rawHeaders }: Head): boolean => {
  let frames = true
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (rawHeaders[index]?.length === 17 && rawHeaders[index]?.toLowerCase() === 'transfer-encoding')
      frames = isChunkedLast.test(rawHeaders[index + 1] ?? '')
  return frames
}

/** What is wrong with the headers of a request, whatever it asks for: a proxy might read them differently. */
export const headProblem = (head: Head): BadRequest | undefined => {
  if (head.rawHeaders.length > 2 * maxHeaders) return headTooLarge
  return namesOneHost(head) && framesItsBody(head) ? undefined : badRequest
}
