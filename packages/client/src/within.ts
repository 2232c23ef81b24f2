import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import { onAbort } from './onAbort.js'
import { type Aborted, aborted, type TimedOut, timedOut } from './TransportFailure.js'

interface Limits {
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs: number
}

export interface Running {
  /** Aborted as soon as the caller or the clock ends the call. */
  readonly signal: AbortSignal
  readonly remainingMs: () => number
}

/** The longest wait that timers know, some 24 days: a longer one would end at once. */
export const longestMs = 2 ** 31 - 1

/**
 * Work that ends when the caller aborts it or its time is over, whether or not it listens itself. A timeout longer than
 * {@link longestMs} does not end it.
 */
export const within =
  <F, A>({ signal, timeoutMs }: Limits, work: (running: Running) => TE.TaskEither<F, A>) =>
  async (): Promise<E.Either<F | Aborted | TimedOut, A>> => {
    if (signal?.aborted === true) return E.left(aborted)
    const controller = new AbortController()
    const ended = new Promise<E.Left<Aborted | TimedOut>>((resolve) => {
      controller.signal.addEventListener('abort', () => resolve({ _tag: 'Left', left: controller.signal.reason }))
    })
    const abort = (): void => controller.abort(aborted)
    const end = (): void => controller.abort(timedOut(timeoutMs))
    const timer = timeoutMs > longestMs ? undefined : setTimeout(end, timeoutMs)
    const letGo = signal ? onAbort(signal, abort) : () => {}
    const endsAt = performance.now() + timeoutMs
    try {
      const running = { signal: controller.signal, remainingMs: () => endsAt - performance.now() }
      return await Promise.race([ended, work(running)()])
    } finally {
      clearTimeout(timer)
      letGo()
    }
  }
