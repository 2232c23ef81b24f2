import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import { decoded } from '../log/decoded.js'
import { holdsTriggerId } from '../log/holdsTriggerId.js'
import * as Traceparent from './Traceparent.js'

/** Letters, digits and `-`: no token passes, which has a `_`, and no log line is broken. */
const wellFormedId = /^[A-Za-z0-9-]{8,128}$/

const only = (header: string | ReadonlyArray<string> | undefined): string => (typeof header === 'string' ? header : '')

/** A trigger id that somebody chose has any shape: what stands in the target, in any spelling, may be one. */
const mayBeSecret = (id: string, target: string): boolean =>
  holdsTriggerId(id) || decoded(target)?.includes(id) !== false

/** `X-Request-Id` as the caller gave it, or one of our own: in the answer and in the log line. */
export const requestIdOf = ({ headers, url = '' }: IncomingMessage): string => {
  const given = only(headers['x-request-id'])
  return wellFormedId.test(given) && !mayBeSecret(given, url) ? given : randomUUID()
}

/** The trace that a caller has begun; `undefined` without a well-formed `traceparent`. */
export const traceIdOfRequest = ({ headers }: IncomingMessage): string | undefined =>
  headers['traceparent'] === undefined
    ? undefined
    : pipe(
        Traceparent.fromHeader(only(headers['traceparent'])),
        O.map(({ traceId }) => traceId),
        O.toUndefined,
      )
