import type { Area, NodeAtEnv, StoragePath } from '@canopy/domain'
import { pipe } from 'fp-ts/lib/function.js'
import type * as T from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'

/** Whether a path names a node now; `unknown` when the storage fails. What lies behind a file can be no node. */
export type Existence = 'there' | 'missing' | 'behind a file' | 'unknown'

const ofFailure = {
  'file not found': 'missing',
  'type mismatch': 'behind a file',
  external: 'unknown',
} as const

export const of =
  (storage: NodeAtEnv) =>
  (area: Area.Area, path: StoragePath.StoragePath): T.Task<Existence> =>
    pipe(
      storage.nodeAt(area, path),
      TE.match(
        ({ error }): Existence => ofFailure[error],
        () => 'there' as const,
      ),
    )

/** Known not to be there. */
export const isMissing = (existence: Existence): boolean => existence === 'missing' || existence === 'behind a file'

/** `null` when unknown. */
export const toJson = (existence: Existence): boolean | null => (existence === 'unknown' ? null : existence === 'there')

/** `waiting` is what then waits for a node. */
export const note =
  (waiting: string) =>
  (existence: Existence): ReadonlyArray<string> =>
    existence === 'there'
      ? []
      : isMissing(existence)
        ? [
            `No node exists there now${existence === 'missing' ? '' : ', the path runs through a file'}; ${waiting} waits for one.`,
          ]
        : ['The storage did not answer, so whether a node exists there is not known: `canopy doctor` says why.']
