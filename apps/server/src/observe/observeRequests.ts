import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { inspect } from 'node:util'
import { AccessToken, UserId } from '@canopy/domain'
import { parseTarget, type Route } from '@canopy/http'
import { tokenIdOf } from '@canopy/registry'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Logger } from 'pino'
import { cutReason } from '../http/HttpResponse.js'
import { RequestContext } from '../http/RequestContext.js'
import * as Traceparent from '../http/Traceparent.js'
import { decoded, holdsSecret, lineASecond } from './log.js'
import type { Tracing } from './openTelemetry.js'
import type { Metrics, RequestEnd } from './prometheus.js'

export interface ObserveEnv {
  readonly basePath: string
  readonly log: Logger
  readonly metrics?: Metrics
  readonly tracing?: Tracing
}

/**
 * Begins to observe a request: gives it an id, and logs, counts and traces it when its response is complete or its connection
 * gone. Overloaded requests share one line a second.
 */
export const observeRequests = (env: ObserveEnv) => {
  const { basePath, log, metrics, tracing } = env
  const targetOf = parseTarget(basePath)
  const logEnd = requestLog(log)
  return (request: IncomingMessage, response: ServerResponse): RequestContext => {
    const context = new RequestContext(request, response, requestIdOf(request), targetOf(request.url ?? ''))
    const isCounted = context.probe === undefined
    const { traceparent } = request.headers
    const caller = traceparent === undefined ? O.none : Traceparent.fromHeader(only(traceparent))
    const span = isCounted ? tracing?.begin(request.method, caller) : undefined
    context.traceId = span?.recorded?.traceId ?? (O.isSome(caller) ? caller.value.traceId : undefined)
    context.startCall = span?.recorded?.startCall
    if (isCounted) metrics?.began()
    response.once('close', () => {
      const end = endOf(context)
      if (isCounted) metrics?.ended(end, performance.now() - context.startedAt)
      span?.end(end)
      logEnd(context, end)
    })
    return context
  }
}

/** Letters, digits and `-`, so that no log line is broken; fewer than the secret characters of a token. */
const wellFormedId = /^[A-Za-z0-9-]{8,42}$/

const only = (header: string | ReadonlyArray<string> | undefined): string => (typeof header === 'string' ? header : '')

/** Reports whether an id may be a secret. A trigger id can have any form, so any part of the target in any spelling counts. */
const mayBeSecret = (id: string, target: string): boolean => holdsSecret(id) || decoded(target)?.includes(id) !== false

/** Returns the `X-Request-Id` of the client, or a new id. */
const requestIdOf = ({ headers, url = '' }: IncomingMessage): string => {
  const sent = headers['x-request-id']
  if (sent === undefined) return randomUUID()
  return wellFormedId.test(only(sent)) && !mayBeSecret(only(sent), url) ? only(sent) : randomUUID()
}

const endOf = ({ request, response, match, error }: RequestContext): RequestEnd => ({
  operation: match?.route.operation ?? 'none',
  status: response.headersSent ? response.statusCode : 'none',
  failure: error?.error ?? (cutReason(response) === undefined ? 'none' : 'cut'),
  // Node also counts bytes as written that were lost with the connection.
  complete: response.writableFinished && !request.socket.destroyed,
})

const requestLog = (log: Logger) => {
  const reportOverload = lineASecond(log, 'refused', 'overloaded, refusing requests')

  const write = (context: RequestContext, end: RequestEnd): void => {
    const { error } = context
    const isOdd = context.unreadable !== undefined || end.failure === 'cut'
    const level = context.probe !== undefined ? 'debug' : isOdd ? 'warn' : 'info'
    if (error?.error === 'overloaded') reportOverload()
    else if (error?.error === 'external')
      log.error({ ...line(context, end), cause: shownCause(error.cause) }, 'request')
    else if (log.isLevelEnabled(level)) log[level](line(context, end), 'request')
  }

  return (context: RequestContext, end: RequestEnd): void => {
    try {
      write(context, end)
    } catch {
      // An error in a listener ends the process, and its text may contain a secret.
      log.error({ id: context.id }, 'cannot log this request')
    }
  }
}

const line = (context: RequestContext, { status, failure, complete }: RequestEnd) => ({
  id: context.id,
  trace: context.traceId,
  method: context.request.method,
  target: shownTarget(context.match),
  operation: context.match?.route.operation,
  tokenId: shownToken(context.match),
  status: status === 'none' ? undefined : status,
  error: failure === 'none' ? undefined : failure,
  cut: cutReason(context.response),
  unreadable: shownUnreadable(context.unreadable),
  bytes: context.fileBytes,
  ms: performance.now() - context.startedAt,
  ...(complete ? {} : { aborted: true }),
})

const shownCredential = ({ route: { credential: kind }, params: { credential } }: Route.Match): string =>
  kind !== 'user id' ? `[${kind}]` : O.isSome(UserId.fromRawSegment(credential)) ? credential : '[not a user id]'

/** Built from the parts, never from the target, so that a secret in an unexpected place is not logged. */
const shownTarget = (match: Route.Match | undefined): string =>
  match === undefined ? '(no operation)' : match.route.prefix + shownCredential(match) + match.params.path

/** Revoked and unknown tokens have an id too, so an operator can find one that is still in use. */
const shownToken = (match: Route.Match | undefined): string | undefined =>
  match?.route.credential === 'token'
    ? pipe(AccessToken.fromRawSegment(match.params.credential), O.map(tokenIdOf), O.toUndefined)
    : undefined

const shownCause = (cause: unknown): unknown =>
  cause instanceof Error
    ? { message: cause.message, ...('code' in cause ? { code: cause.code } : {}) }
    : typeof cause === 'string'
      ? cause
      : inspect(cause, { depth: 0 })

/** Returns the number of directories and the first, because a tree may leave a million directories unexpanded. */
const shownUnreadable = (unreadable: RequestContext['unreadable']) =>
  unreadable && {
    directories: unreadable.count,
    first: { path: unreadable.first.path, cause: shownCause(unreadable.first.cause) },
  }
