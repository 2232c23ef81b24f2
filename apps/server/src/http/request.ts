import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import { decoded, holdsSecret } from '../observe/log.js'
import { type BadRequest, badRequest, headTooLarge } from './Refusal.js'
import * as Traceparent from './Traceparent.js'

/** The request target as it came in, split but not decoded. */
export interface RequestTarget {
  /** Up to the `?`. ASCII: Node refuses other bytes in a target. */
  readonly path: string
  /** After the `?`; empty when there is none. */
  readonly query: string
}

/** Refuses what a proxy and we might read differently: a whole URL as target, and a raw `#`. */
export const parseTarget = (url: string): E.Either<BadRequest, RequestTarget> => {
  if (!url.startsWith('/') || url.includes('#')) return E.left(badRequest)
  const end = url.includes('?') ? url.indexOf('?') : url.length
  return E.right({ path: url.slice(0, end), query: url.slice(end + 1) })
}

type Head = Pick<IncomingMessage, 'rawHeaders' | 'httpVersion'>

/** More are refused, not left out: the last ones are those of the nearest proxy. */
export const maxHeaders = 100

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

/** No one knows where a body ends that is coded otherwise, nor one of HTTP/1.0, which has no codings (RFC 9112, 6.1 and 6.3). */
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

/** Letters, digits and `-`, so that no log line is broken; fewer than the secret characters of a token. */
const wellFormedId = /^[A-Za-z0-9-]{8,42}$/

const only = (header: string | ReadonlyArray<string> | undefined): string => (typeof header === 'string' ? header : '')

/** A trigger id that an operator chose has any shape: what is in the target, in any spelling, may be one. */
const mayBeSecret = (id: string, target: string): boolean => holdsSecret(id) || decoded(target)?.includes(id) !== false

/** `X-Request-Id` as the caller gave it, or a new one. */
export const requestIdOf = ({ headers, url = '' }: IncomingMessage): string => {
  const given = headers['x-request-id']
  if (given === undefined) return randomUUID()
  return wellFormedId.test(only(given)) && !mayBeSecret(only(given), url) ? only(given) : randomUUID()
}

/** The trace that a caller has begun; `undefined` without a well-formed `traceparent`. */
export const traceIdOf = ({ headers }: IncomingMessage): string | undefined =>
  headers['traceparent'] === undefined
    ? undefined
    : pipe(
        Traceparent.fromHeader(only(headers['traceparent'])),
        O.map(({ traceId }) => traceId),
        O.toUndefined,
      )
