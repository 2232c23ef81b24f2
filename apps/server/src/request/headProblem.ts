import type { IncomingMessage } from 'node:http'
import { maxHeaders } from '../connection/connectionLimits.js'
import { type BadRequest, badRequest, headTooLarge } from '../Refusal.js'

type Head = Pick<IncomingMessage, 'rawHeaders' | 'httpVersion'>

/** A name or an address, and a port; both may be empty (RFC 3986, 3.2). */
const authority = /^(\[[0-9A-Fa-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(:[0-9]*)?$/

/** Of each header of this name, in small letters. */
const valuesOf = ({ rawHeaders }: Head, name: string): ReadonlyArray<string> => {
  const values: Array<string> = []
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (rawHeaders[index]?.length === name.length && rawHeaders[index]?.toLowerCase() === name)
      values.push(rawHeaders[index + 1] ?? '')
  return values
}

/** One Host header; a client of HTTP/1.0 may have none. */
const namesOneHost = (head: Head): boolean => {
  const [host, ...others] = valuesOf(head, 'host')
  return host === undefined ? head.httpVersion === '1.0' : others.length === 0 && authority.test(host)
}

const isChunkedLast = /(?:^|,)[ \t]*chunked[ \t]*$/i

/** Where a body ends that is coded otherwise nobody knows, nor one of HTTP/1.0, which has no codings (RFC 9112, 6.1 and 6.3). */
const framesItsBody = (head: Head): boolean => {
  const last = valuesOf(head, 'transfer-encoding').at(-1)
  return last === undefined || (head.httpVersion !== '1.0' && isChunkedLast.test(last))
}

/** Node reads requests of HTTP/0.9 and 2.0 as well, which have no such form. */
const isKnownVersion = ({ httpVersion }: Head): boolean => httpVersion === '1.1' || httpVersion === '1.0'

/** What is wrong with the headers of a request, whatever it asks for: a proxy might read them differently. */
export const headProblem = (head: Head): BadRequest | undefined => {
  if (head.rawHeaders.length > 2 * maxHeaders) return headTooLarge
  return isKnownVersion(head) && namesOneHost(head) && framesItsBody(head) ? undefined : badRequest
}
