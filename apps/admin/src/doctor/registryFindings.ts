import type { RegistryReader } from '@canopy/registry/admin'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Problem } from '../Problem.js'
import { refused } from '../refused.js'
import type { Finding } from './Finding.js'

/** Requests are answered also from a damaged registry, and wrongly: a token that is there is not found. */
export const registryFindings = ({
  damage,
  place,
}: Pick<RegistryReader, 'damage' | 'place'>): TE.TaskEither<Problem, ReadonlyArray<Finding>> =>
  pipe(
    damage,
    TE.bimap(refused, (found) =>
      found.map((what) => ({
        kind: 'damaged registry',
        registry: place,
        message: `${what}: it may answer wrongly, so stop the server and restore the copy of your last backup`,
      })),
    ),
  )
