import { inspect } from 'node:util'
import { Failure } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'

/** A timeout that progress restarts. */
export interface Deadline {
  /** The rest of the timeout, in milliseconds. */
  readonly remainingMs: number
  /** Restarts the timeout in full. Set while the task runs. */
  restart?: (() => void) | undefined
}

/**
 * Forwards the result of a task, or fails with `external` if the task throws, rejects, or takes longer than `timeoutMs`. A
 * later result is dropped; the task itself cannot be cancelled.
 */
export const withTimeout =
  <F, A>(
    name: string,
    timeoutMs: number,
    task: TE.TaskEither<F, A>,
    deadline?: Deadline,
  ): TE.TaskEither<F | Failure.External, A> =>
  () =>
    new Promise((resolve) => {
      const settle = (result: E.Either<F | Failure.External, A>): void => {
        clearTimeout(timer)
        if (deadline !== undefined) deadline.restart = undefined
        resolve(result)
      }
      const fail = (thrown: unknown): void =>
        settle(E.left(Failure.external(thrown instanceof Error ? thrown : thrownBy(name, thrown))))
      const failLate = (): void => fail(new Error(`${name} timed out after ${timeoutMs} ms`))
      let timer = setTimeout(failLate, deadline?.remainingMs ?? timeoutMs).unref()
      if (deadline !== undefined)
        deadline.restart = () => {
          clearTimeout(timer)
          timer = setTimeout(failLate, timeoutMs).unref()
        }
      try {
        task().then(settle, fail)
      } catch (thrown) {
        fail(thrown)
      }
    })

const thrownBy = (name: string, thrown: unknown): Error => new Error(`${name} threw ${inspect(thrown, { depth: 0 })}`)
