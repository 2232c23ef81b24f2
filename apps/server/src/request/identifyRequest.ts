import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import { decoded, holdsSecret } from '../log/redact.js'
import * as Traceparent from './Traceparent.js'

/** Letters, digits and `-`, so that no log line is broken; fewer than the secret characters of a token. */
const wellFormedId = /^[A-Za-z0-9-]{8,42}$/

const only = (header: string | ReadonlyArray<string> | undefined): string => (typeof header === 'string' ? header : '')

/** A trigger id that an operator chose has any shape: what stands in the target, in any spelling, may be one. */
const mayBeSecret = (id: string, target: string): boolean => holdsSecret(id) || decoded(target)?.includes(id) !== false

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
