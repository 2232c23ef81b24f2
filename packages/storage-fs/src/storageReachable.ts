import { stat } from 'node:fs/promises'
import { Failure } from '@canopy/domain'
import { constVoid, pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { StorageRoot } from './StorageRoot.js'

/** Whether the directory that holds the areas is there and may be entered, now. Never blocks the thread. */
export const storageReachable = (root: StorageRoot): TE.TaskEither<Failure.External, void> =>
  pipe(
    // Only who may search the directory may look at its own dot.
    TE.tryCatch(() => stat(`${root}/.`), Failure.external),
    TE.map(constVoid),
  )
