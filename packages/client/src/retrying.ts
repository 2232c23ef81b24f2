import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as T from 'fp-ts/lib/Task.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { Received } from './exchange.js'
import { type RetryPolicy, retryDelayMs } from './retryDelayMs.js'
import type { CutOff, Network } from './TransportFailure.js'
import { longestMs, type Running } from './within.js'

type Exchange = TE.TaskEither<Network | CutOff, Received>

const wait =
  (ms: number, signal: AbortSignal): T.Task<void> =>
  () =>
    new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer)
        signal.removeEventListener('abort', done)
        resolve()
      }
      const timer = setTimeout(done, ms)
      signal.addEventListener('abort', done)
    })

/** Asks again while that may help and there is time: every operation is a GET that changes nothing. */
export const retrying =
  (policy: RetryPolicy, { signal, remainingMs }: Running) =>
  (exchange: Exchange): Exchange => {
    const attempt = (count: number): Exchange =>
      pipe(
        exchange,
        T.flatMap((result) =>
          pipe(
            retryDelayMs(policy, count, Math.random(), result),
            // A wait beyond the end of the call would hide what happened behind a timeout; one beyond timers would end at once.
            O.filter((ms) => !signal.aborted && ms < remainingMs() && ms <= longestMs),
            O.match(
              () => T.of(result),
              (ms) =>
                pipe(
                  wait(ms, signal),
                  T.flatMap(() => (signal.aborted ? T.of(result) : attempt(count + 1))),
                ),
            ),
          ),
        ),
      )
    return attempt(0)
  }
