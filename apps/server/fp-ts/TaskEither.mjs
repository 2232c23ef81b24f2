// What is done by fp-ts's own `tryCatch`, compiled for old engines, outlives its end until the collector's next full round,
// and with it all that it held: a request's listing, for one.
import { left, right } from 'fp-ts/lib/Either.js'

export * from 'fp-ts/lib/TaskEither.js'

export const tryCatch = (f, onRejected) => async () => {
  try {
    return right(await f())
  } catch (reason) {
    return left(onRejected(reason))
  }
}
