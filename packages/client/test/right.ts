import * as E from 'fp-ts/lib/Either.js'

/** What a test knows to be there. */
export const right = <L, A>(given: E.Either<L, A>): A => {
  if (E.isLeft(given)) throw new Error(`expected a right, got ${JSON.stringify(given.left)}`)
  return given.right
}
