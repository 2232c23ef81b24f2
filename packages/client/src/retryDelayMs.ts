import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Received } from './exchange.js'
import { retryAfterSeconds } from './retryAfterSeconds.js'
import type { CutOff, Network } from './TransportFailure.js'

export interface RetryPolicy {
  /** Attempts after the first. */
  readonly retries: number
  /** The wait before the first retry, in milliseconds; it doubles each time, up to 10 seconds. */
  readonly backOffMs: number
}

const longestBackOffMs = 10_000

/** Of 2, what a number still holds: `Infinity` times no wait would be `NaN`. */
const largestExponent = 1023

/** Too many requests, and what gateways and the service say when something behind them failed: they may pass. */
const passing = new Set([429, 502, 503, 504])

/** Between half and the whole of the doubled wait, so that clients that failed together do not return together. */
const backOff = ({ backOffMs }: RetryPolicy, attempt: number, dice: number): number =>
  Math.min(backOffMs * 2 ** Math.min(attempt, largestExponent), longestBackOffMs) * (0.5 + dice / 2)

const asked = (result: E.Either<Network | CutOff, Received>): number =>
  E.isRight(result) ? (retryAfterSeconds(result.right) ?? 0) * 1000 : 0

/** How long to wait before asking again; `none` when asking again is of no use. `dice` is from 0 to 1. */
export const retryDelayMs = (
  policy: RetryPolicy,
  attempt: number,
  dice: number,
  result: E.Either<Network | CutOff, Received>,
): O.Option<number> =>
  pipe(
    O.some(asked(result) + backOff(policy, attempt, dice)),
    O.filter(() => attempt < policy.retries && (E.isLeft(result) || passing.has(result.right.status))),
  )
