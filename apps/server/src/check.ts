import { openRegistry } from '@canopy/registry'
import { storageReachable } from '@canopy/storage-fs'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { reasonOf } from './observe/health/reasonOf.js'
import type { ServerConfig } from './ServerConfig.js'

/** Opens what the configuration names, and answers nobody. `left` says what stands in the way of a server. */
export const check = ({ installation: { registry, storage } }: ServerConfig): TE.TaskEither<string, void> =>
  pipe(
    openRegistry(registry),
    TE.mapLeft(({ message }) => message),
    TE.flatMap(({ close }) => TE.fromTask(close)),
    TE.flatMap(() => storageReachable(storage)),
    TE.bimap(
      (failure) => (typeof failure === 'string' ? failure : `the storage cannot be read: ${reasonOf(failure)}`),
      () => undefined,
    ),
  )
