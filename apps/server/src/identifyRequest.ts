import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/** Letters, digits and `-`: no token passes, which has a `_`, and no log line is broken. */
const wellFormedId = /^[A-Za-z0-9-]{8,128}$/

/** W3C Trace Context, level 1: version, trace id, parent id, flags. */
const wellFormedTrace = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}(-.*)?$/

const only = (header: string | ReadonlyArray<string> | undefined): string => (typeof header === 'string' ? header : '')

/** `X-Request-Id` as the caller gave it, or one of our own: in the answer and in the log line. */
export const requestIdOf = ({ headers }: IncomingMessage): string => {
  const given = only(headers['x-request-id'])
  return wellFormedId.test(given) ? given : randomUUID()
}

/** The trace that a caller has begun; `undefined` without a well-formed `traceparent`. */
export const traceIdOf = (traceparent: string): string | undefined => {
  const traceId = wellFormedTrace.exec(traceparent)?.[1]
  return traceId === undefined || /^0+$/.test(traceId) ? undefined : traceId
}

export const traceIdOfRequest = ({ headers }: IncomingMessage): string | undefined =>
  headers['traceparent'] === undefined ? undefined : traceIdOf(only(headers['traceparent']))
