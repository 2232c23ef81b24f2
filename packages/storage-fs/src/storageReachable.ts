import { stat } from 'node:fs/promises'
import { Failure } from '@canopy/domain'
import { constVoid, pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { procIsMounted } from './holdNode.js'
import type { StorageRoot } from './StorageRoot.js'

/**
 * Whether areas can be read now: the directory that holds them is there and may be entered, and so is `/proc`. Never blocks
 * the thread.
 */
export const storageReachable = (root: StorageRoot): TE.TaskEither<Failure.External, void> =>
  pipe(
    TE.fromIOEither(procIsMounted),
    // Only who may search the directory may look at its own dot.
    TE.flatMap(() => TE.tryCatch(() => stat(`${root}/.`), Failure.external)),
    TE.map(constVoid),
  )
