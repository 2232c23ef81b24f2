import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'

/** What `TE.flatMapEither` does with more promises; this runs for every request. */
export const flatMapEither =
  <A, L2, B>(f: (a: A) => E.Either<L2, B>) =>
  <L1>(task: TE.TaskEither<L1, A>): TE.TaskEither<L1 | L2, B> =>
  async () => {
    const answer = await task()
    return E.isLeft(answer) ? answer : f(answer.right)
  }
