import { causeOf } from '@canopy/installation'
import { type StorageRoot, storageReachable } from '@canopy/storage-fs'
import { pipe } from 'fp-ts/lib/function.js'
import type * as T from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Finding } from './Finding.js'

/** Without the directory that holds the areas no server is ready, also when every area lies elsewhere. */
export const storageFindings = (root: StorageRoot.StorageRoot): T.Task<ReadonlyArray<Finding>> =>
  pipe(
    storageReachable(root),
    TE.match(
      ({ cause }): ReadonlyArray<Finding> => [
        {
          kind: 'missing storage',
          storage: root,
          message: `${causeOf(cause)}: no server is ready without it; mount it, or make the directory`,
        },
      ],
      () => [],
    ),
  )
