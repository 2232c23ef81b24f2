import { inspect } from 'node:util'
import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'

/** What the task gives; a failure fails the test. */
export const right = async <E, A>(task: TE.TaskEither<E, A>): Promise<A> => {
  const result = await task()
  if (E.isLeft(result)) throw new Error(`expected an answer, got ${inspect(result.left, { depth: 4 })}`)
  return result.right
}

/** The failure of the task; an answer fails the test. */
export const left = async <E, A>(task: TE.TaskEither<E, A>): Promise<E> => {
  const result = await task()
  if (E.isRight(result)) throw new Error(`expected a failure, got ${inspect(result.right, { depth: 4 })}`)
  return result.left
}
