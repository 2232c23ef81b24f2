import { type Failure, U64, type UserId } from '@canopy/domain'
import type { Registry } from '@canopy/registry'
import { type StorageRoot, storageReachable } from '@canopy/storage-fs'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Logger } from 'pino'
import type { Part } from './parts.js'
import { type Checks, type Readiness, readiness } from './Readiness.js'
import { reasonOf } from './reasonOf.js'

const anyUser = U64.zero as UserId.UserId

type AskedRegistry = Pick<Registry, 'areaOfUser'>

/** One row by its key, or none: the cheapest thing a registry can be asked. */
const registryAnswers = ({ areaOfUser }: AskedRegistry): TE.TaskEither<Failure.External, unknown> =>
  pipe(
    areaOfUser(anyUser),
    TE.orElseW((failure) => (failure.error === 'external' ? TE.left(failure) : TE.right(undefined))),
  )

/** Asks the registry and the storage themselves. Why one does not answer stands in the log alone. */
export const serverReadiness = (registry: AskedRegistry, storage: StorageRoot.StorageRoot, log: Logger): Readiness => {
  const checks: { readonly [Of in Part]: Checks[string] } = {
    registry: registryAnswers(registry),
    storage: storageReachable(storage),
  }
  return readiness(checks, (part, cause) => log.warn({ part, cause: reasonOf(cause) }, 'not ready'))
}
