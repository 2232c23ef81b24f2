import { Failure } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'

/** Whatever a driver throws is `external`. What `TE.tryCatch` does with more promises; this runs for every request. */
export const attempt =
  <A>(run: () => A | Promise<A>): TE.TaskEither<Failure.External, A> =>
  async () => {
    try {
      return E.right(await run())
    } catch (thrown) {
      return E.left(Failure.external(thrown))
    }
  }
