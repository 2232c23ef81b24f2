import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { inspect } from 'node:util'
import { AccessToken, UserId } from '@canopy/domain'
import { tokenIdOf } from '@canopy/registry'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Logger } from 'pino'
import { cutReason } from '../http/AnswerCut.js'
import type { RequestContext } from '../http/RequestContext.js'
import * as Traceparent from '../http/Traceparent.js'
import { type Asked, type Route, routeOf } from '../routes.js'
import { probeOf } from './health.js'
import { decoded, holdsSecret, lineASecond } from './log.js'
import type { Tracing } from './openTelemetry.js'
import type { Ended, Metrics } from './prometheus.js'

/** Letters, digits and `-`, so that no log line is broken; fewer than the secret characters of a token. */
const wellFormedId = /^[A-Za-z0-9-]{8,42}$/

const only = (header: string | ReadonlyArray<string> | undefined): string => (typeof header === 'string' ? header : '')

/** A trigger id that an operator chose has any shape: what is in the target, in any spelling, may be one. */
const mayBeSecret = (id: string, target: string): boolean => holdsSecret(id) || decoded(target)?.includes(id) !== false

/** `X-Request-Id` as the caller gave it, or a new one. */
const requestIdOf = ({ headers, url = '' }: IncomingMessage): string => {
  const given = headers['x-request-id']
  if (given === undefined) return randomUUID()
  return wellFormedId.test(only(given)) && !mayBeSecret(only(given), url) ? only(given) : randomUUID()
}

export interface ObserveEnv {
  readonly basePath: string
  readonly log: Logger
  readonly metrics?: Metrics
  readonly tracing?: Tracing
}

interface Found {
  readonly route?: Route | undefined
  readonly asked?: Asked | undefined
}

/** A request that did not reach the router is known by its target. */
const foundOf = ({ route, asked, target }: RequestContext): Found =>
  route === undefined && target !== undefined ? (routeOf(target) ?? {}) : { route, asked }

const endOf = ({ request, response, refusal }: RequestContext, { route }: Found): Ended => ({
  operation: route?.operation ?? 'none',
  status: response.headersSent ? response.statusCode : 'none',
  failure: refusal?.error ?? (cutReason(response) === undefined ? 'none' : 'cut'),
  // Node takes what a connection lost with it for written.
  complete: response.writableFinished && !request.socket.destroyed,
})

const shownCredential = ({ credential: kind }: Route, credential: string): string =>
  kind !== 'user id' ? `[${kind}]` : O.isSome(UserId.fromRawSegment(credential)) ? credential : '[not a user id]'

/** Built from the parts, never from the target, so that a secret in an unexpected place cannot pass. */
const shownTarget = ({ route, asked }: Found): string =>
  route === undefined || asked === undefined
    ? '(no operation)'
    : route.prefix + shownCredential(route, asked.credential) + asked.path

/** Also of a token that opens nothing: one that is revoked and still in use can be found. */
const shownToken = ({ route, asked }: Found): string | undefined =>
  route?.credential !== 'token' || asked === undefined
    ? undefined
    : pipe(AccessToken.fromRawSegment(asked.credential), O.map(tokenIdOf), O.toUndefined)

const shownCause = (cause: unknown): unknown =>
  cause instanceof Error
    ? { message: cause.message, ...('code' in cause ? { code: cause.code } : {}) }
    : typeof cause === 'string'
      ? cause
      : inspect(cause, { depth: 0 })

/** A tree may leave a million directories unexpanded: the first one represents all. */
const shownUnreadable = (unreadable: RequestContext['unreadable']) =>
  unreadable && {
    directories: unreadable.directories,
    first: { path: unreadable.first.path, cause: shownCause(unreadable.first.cause) },
  }

const line = (context: RequestContext, found: Found, { status, failure, complete }: Ended) => ({
  id: context.id,
  trace: context.traceId,
  method: context.request.method,
  target: shownTarget(found),
  operation: found.route?.operation,
  tokenId: shownToken(found),
  status: status === 'none' ? undefined : status,
  error: failure === 'none' ? undefined : failure,
  cut: cutReason(context.response),
  unreadable: shownUnreadable(context.unreadable),
  ms: performance.now() - context.began,
  ...(complete ? {} : { aborted: true }),
})

/**
 * Begins to observe a request: gives it an id, and logs, counts and traces it when its response is complete or its connection
 * gone. Requests that are refused because there are too many have one line together.
 */
export const observeRequests = ({ basePath, log, metrics, tracing }: ObserveEnv) => {
  const reportOverload = lineASecond(log, 'refused', 'overloaded')

  const logLine = (context: RequestContext, found: Found, ended: Ended): void => {
    const { refusal } = context
    const isOdd = context.unreadable !== undefined || ended.failure === 'cut'
    const level = context.probe !== undefined ? 'debug' : isOdd ? 'warn' : 'info'
    if (refusal?.error === 'overloaded') reportOverload()
    else if (refusal?.error === 'external')
      log.error({ ...line(context, found, ended), cause: shownCause(refusal.cause) }, 'request')
    else if (log.isLevelEnabled(level)) log[level](line(context, found, ended), 'request')
  }

  return (request: IncomingMessage, response: ServerResponse): RequestContext => {
    const context: RequestContext = {
      request,
      response,
      id: requestIdOf(request),
      began: performance.now(),
      probe: probeOf(request, basePath),
    }
    const { traceparent } = request.headers
    const caller = traceparent === undefined ? O.none : Traceparent.fromHeader(only(traceparent))
    if (O.isSome(caller)) context.traceId = caller.value.traceId
    const counted = context.probe ? undefined : metrics?.began()
    const span = context.probe ? undefined : tracing?.begin(request.method, caller)
    if (span?.recorded !== undefined) Object.assign(context, span.recorded)
    response.once('close', () => {
      const found = foundOf(context)
      const ended = endOf(context, found)
      counted?.(ended)
      span?.end(ended)
      try {
        logLine(context, found, ended)
      } catch {
        // What a listener throws ends the process. What was thrown may hold a secret.
        log.error({ id: context.id }, 'the line of this request could not be written')
      }
    })
    return context
  }
}
