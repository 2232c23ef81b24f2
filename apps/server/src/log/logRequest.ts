import { inspect } from 'node:util'
import { AccessToken, UserId } from '@canopy/domain'
import { tokenIdOf } from '@canopy/registry'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Logger } from 'pino'
import type { Exchange, RequestState } from '../Exchange.js'
import { endOf } from '../endOf.js'
import type { Route } from '../Route.js'
import { routeAsked } from '../routeAsked.js'

const shownCredential = ({ credential: kind }: Route, credential: string): string =>
  kind !== 'user id' ? `[${kind}]` : O.isSome(UserId.fromRawSegment(credential)) ? credential : '[not a user id]'

/** Built from the parts, never from the target, so that a secret in an unexpected place cannot pass. */
const shownTarget = ({ route, asked }: Pick<RequestState, 'route' | 'asked'>): string =>
  route === undefined || asked === undefined
    ? '(no operation)'
    : route.prefix + shownCredential(route, asked.credential) + asked.path

/** Also of a token that opens nothing: one that is revoked and still in use can be found. */
const shownToken = ({ route, asked }: Pick<RequestState, 'route' | 'asked'>): string | undefined =>
  route?.credential !== 'token' || asked === undefined
    ? undefined
    : pipe(AccessToken.fromRawSegment(asked.credential), O.map(tokenIdOf), O.toUndefined)

const shownCause = (cause: unknown): unknown =>
  cause instanceof Error
    ? { message: cause.message, ...('code' in cause ? { code: cause.code } : {}) }
    : typeof cause === 'string'
      ? cause
      : inspect(cause, { depth: 0 })

/** A tree may leave a million directories unexpanded: the first one stands for all. */
const shownUnreadable = (unreadable: RequestState['unreadable']) =>
  unreadable && {
    directories: unreadable.directories,
    first: { path: unreadable.first.path, cause: shownCause(unreadable.first.cause) },
  }

const line = (exchange: Exchange) => {
  const { request, state, began } = exchange
  const { status, complete } = endOf(exchange)
  const found = routeAsked(exchange)
  return {
    id: state.requestId,
    trace: state.traceId,
    method: request.method,
    target: shownTarget(found),
    operation: found.route?.operation,
    tokenId: shownToken(found),
    status: status === 'none' ? undefined : status,
    error: state.refusal?.error,
    unreadable: shownUnreadable(state.unreadable),
    ms: performance.now() - began,
    ...(complete ? {} : { aborted: true }),
  }
}

/** One line for each request, when its response is complete or its connection is gone. */
export const logRequest =
  (log: Logger) =>
  (exchange: Exchange): void => {
    const { response, state } = exchange
    response.once('close', () => {
      const level = state.isProbe ? 'debug' : state.unreadable === undefined ? 'info' : 'warn'
      try {
        if (state.refusal?.error === 'external')
          log.error({ ...line(exchange), cause: shownCause(state.refusal.cause) }, 'request')
        else if (log.isLevelEnabled(level)) log[level](line(exchange), 'request')
      } catch {
        // Nobody hears what a listener throws, and it would end the process. What was thrown may hold a secret.
        log.error({ id: state.requestId }, 'the line of this request could not be written')
      }
    })
  }
