import { causeOf } from '@canopy/installation'
import { procIsMounted } from '@canopy/storage-fs'
import { pipe } from 'fp-ts/lib/function.js'
import type * as RTE from 'fp-ts/lib/ReaderTaskEither.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { failed, type Problem } from './Problem.js'
import type { Report } from './Report.js'

/** A command that reads an area: it does nothing where no area can be read safely. */
export const readsArea =
  <R>(command: RTE.ReaderTaskEither<R, Problem, Report>): RTE.ReaderTaskEither<R, Problem, Report> =>
  (env) =>
    pipe(
      TE.fromIOEither(procIsMounted),
      TE.mapLeft(({ cause }) => failed('external')(causeOf(cause))),
      TE.flatMap(() => command(env)),
    )
