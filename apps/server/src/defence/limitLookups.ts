import type { IncomingMessage } from 'node:http'
import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { Answer } from '../answer/Answer.js'
import { type Refusal, tooManyRequests } from '../Refusal.js'
import type { Route } from '../Route.js'
import { clientOf } from './clientOf.js'
import type { FailedLookups } from './failedLookups.js'
import type { TrustedProxies } from './TrustedProxies.js'

export interface LookupLimits {
  readonly failedLookups: FailedLookups
  readonly trustedProxies: TrustedProxies
}

const wasInVain = (answered: E.Either<Refusal, Answer>): boolean =>
  E.isLeft(answered) && (answered.left.error === 'invalid token' || answered.left.error === 'trigger not found')

/** Whole seconds until whoever asks may ask this; 0 for now, as always where no secret is looked up. */
export const waitSeconds = (
  { failedLookups, trustedProxies }: LookupLimits,
  request: IncomingMessage,
  { credential }: Route,
): number | Promise<number> =>
  credential === 'user id' ? 0 : failedLookups.waitSeconds(() => clientOf(trustedProxies, request))

/** Answers an operation that takes a secret only to a client that has not tried too many in vain. */
export const limitLookups = async (
  limits: LookupLimits,
  request: IncomingMessage,
  route: Route,
  answer: TE.TaskEither<Refusal, Answer>,
): Promise<E.Either<Refusal, Answer>> => {
  const wait = await waitSeconds(limits, request, route)
  if (wait > 0) return E.left(tooManyRequests(wait))
  const answered = await answer()
  if (route.credential !== 'user id' && wasInVain(answered))
    await limits.failedLookups.count(() => clientOf(limits.trustedProxies, request))
  return answered
}
