import { Failure } from '@canopy/domain'
import * as TE from 'fp-ts/lib/TaskEither.js'

/** Whatever a driver throws is `external`. */
export const attempt = <A>(run: () => Promise<A>): TE.TaskEither<Failure.External, A> =>
  TE.tryCatch(run, Failure.external)
