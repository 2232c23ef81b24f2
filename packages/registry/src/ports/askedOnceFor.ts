import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'

/**
 * What is asked for because of a value, asked once for as long as the value lives, and shared with whoever comes
 * meanwhile. A failure is not remembered.
 */
export const askedOnceFor = <L, A>(): ((value: object, ask: TE.TaskEither<L, A>) => TE.TaskEither<L, A>) => {
  const known = new WeakMap<object, Promise<E.Either<L, A>>>()

  const askFor = async (value: object, ask: TE.TaskEither<L, A>): Promise<E.Either<L, A>> => {
    const answer = await ask()
    if (E.isLeft(answer)) known.delete(value)
    return answer
  }

  return (value, ask) => () => {
    const asked = known.get(value) ?? askFor(value, ask)
    known.set(value, asked)
    return asked
  }
}
