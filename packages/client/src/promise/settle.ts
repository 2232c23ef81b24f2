import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { type AnyCause, CanopyError } from './CanopyError.js'

/** The edge where values become what promises speak: a `left` is thrown. */
export const settle = <A>(result: E.Either<AnyCause, A>): A =>
  pipe(
    result,
    E.getOrElse((cause): A => {
      throw new CanopyError(cause)
    }),
  )
