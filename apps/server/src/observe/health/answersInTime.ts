import * as E from 'fp-ts/lib/Either.js'
import type * as T from 'fp-ts/lib/Task.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'

const settled = async (
  check: TE.TaskEither<unknown, unknown>,
  onFailure: (cause: unknown) => void,
): Promise<boolean> => {
  try {
    const answer = await check()
    if (E.isLeft(answer)) onFailure(answer.left)
    return E.isRight(answer)
  } catch (thrown) {
    onFailure(thrown)
    return false
  }
}

/**
 * Whether a check succeeds in time. One that still hangs is not begun again, so that asking often cannot pile up calls
 * of a disk that is gone.
 */
export const answersInTime = (
  check: TE.TaskEither<unknown, unknown>,
  timeoutMs: number,
  onFailure: (cause: unknown) => void,
): T.Task<boolean> => {
  let running: Promise<boolean> | undefined
  return () =>
    new Promise((resolve) => {
      const timer = setTimeout(() => {
        onFailure(new Error(`no answer within ${timeoutMs} ms`))
        resolve(false)
      }, timeoutMs).unref()
      running ??= settled(check, onFailure).finally(() => {
        running = undefined
      })
      void running.then((answers) => {
        clearTimeout(timer)
        return resolve(answers)
      })
    })
}
