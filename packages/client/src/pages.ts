import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { Page } from './Page.js'

async function* walk<F>(first: TE.TaskEither<F, Page<F>>): AsyncGenerator<E.Either<F, Page<F>>, void> {
  let next = O.some(first)
  while (O.isSome(next)) {
    const page: E.Either<F, Page<F>> = await next.value()
    yield page
    next = E.isRight(page) ? page.right.next : O.none
  }
}

/**
 * A page and all that follow it, each asked for when the loop comes to it. Ends after the last page or the first
 * `left`. Can be looped over again, which asks again.
 */
export const pages = <F>(first: TE.TaskEither<F, Page<F>>): AsyncIterable<E.Either<F, Page<F>>> => ({
  [Symbol.asyncIterator]: () => walk(first),
})
