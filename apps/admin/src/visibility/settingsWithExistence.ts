import { Name, type NodeAtEnv, type StoragePath, type Visibility } from '@canopy/domain'
import { pipe } from 'fp-ts/lib/function.js'
import * as Ord from 'fp-ts/lib/Ord.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import * as T from 'fp-ts/lib/Task.js'
import * as AccountSettings from './AccountSettings.js'
import * as Existence from './Existence.js'

export interface Setting {
  readonly path: StoragePath.StoragePath
  readonly visibility: Visibility.Visibility
  readonly existence: Existence.Existence
}

/** Every setting with whether its node exists, in byte order of the paths. */
export const settingsWithExistence =
  (storage: NodeAtEnv) =>
  (known: AccountSettings.AccountSettings): T.Task<ReadonlyArray<Setting>> =>
    pipe(
      [...known.settings],
      RA.sort(
        Ord.contramap(([path]: readonly [StoragePath.StoragePath, Visibility.Visibility]) => path as string)(
          Name.byBytes,
        ),
      ),
      T.traverseSeqArray(([path, visibility]) =>
        pipe(
          Existence.of(storage)(AccountSettings.areaOf(known), path),
          T.map((existence): Setting => ({ path, visibility, existence })),
        ),
      ),
    )
