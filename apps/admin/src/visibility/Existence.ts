import type { Area, NodeAtEnv, StoragePath } from '@canopy/domain'
import { pipe } from 'fp-ts/lib/function.js'
import type * as T from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'

/** Whether a path names a node now; `unknown` when the storage fails. */
export type Existence = 'there' | 'missing' | 'unknown'

export const of =
  (storage: NodeAtEnv) =>
  (area: Area.Area, path: StoragePath.StoragePath): T.Task<Existence> =>
    pipe(
      storage.nodeAt(area, path),
      TE.match(
        ({ error }) => (error === 'external' ? 'unknown' : 'missing'),
        () => 'there',
      ),
    )

/** `null` when unknown. */
export const toJson = (existence: Existence): boolean | null => (existence === 'unknown' ? null : existence === 'there')

export const note = (existence: Existence): ReadonlyArray<string> =>
  existence === 'there'
    ? []
    : existence === 'missing'
      ? ['No node exists there now; the setting waits for one.']
      : ['The storage did not answer, so whether a node exists there is not known: `canopy doctor` says why.']
