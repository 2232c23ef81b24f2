import { causeOf } from '@canopy/installation'
import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'

/** A check that cannot be prepared rejects: whoever runs it tells so. */
export const promised = async <A>(task: TE.TaskEither<unknown, A>): Promise<A> => {
  const outcome = await task()
  if (E.isLeft(outcome)) throw new Error(causeOf(outcome.left))
  return outcome.right
}
