import {
  type Area,
  type ListEnv,
  Name,
  type NodeAtEnv,
  type Settings,
  type StoragePath,
  type UserId,
  type Visibility,
} from '@canopy/domain'
import type { Account } from '@canopy/registry/admin'
import { pipe } from 'fp-ts/lib/function.js'
import type * as O from 'fp-ts/lib/Option.js'
import * as Ord from 'fp-ts/lib/Ord.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import * as T from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { RegistryLookEnv } from './CommandEnv.js'
import type * as Existence from './Existence.js'
import { existenceAndLookAlike } from './lookAlike.js'
import type { Problem } from './Problem.js'
import { refused } from './refused.js'

/** An account and every visibility set in its area. */
export interface AccountSettings {
  readonly account: Account
  readonly settings: Settings.Settings
}

export const of =
  (user: UserId.UserId) =>
  ({ registry }: RegistryLookEnv): TE.TaskEither<Problem, AccountSettings> =>
    pipe(
      registry.accounts.find(user),
      TE.bindTo('account'),
      TE.bindW('settings', () => registry.settings.of(user)),
      TE.mapLeft(refused),
    )

export const areaOf = ({ account }: Pick<AccountSettings, 'account'>): Area.Area => ({
  owner: account.id,
  location: account.location,
  isMountPoint: account.isMountPoint,
})

export interface Setting {
  readonly path: StoragePath.StoragePath
  readonly visibility: Visibility.Visibility
  readonly existence: Existence.Existence
  /** What the operator may have meant, where no node is. */
  readonly lookAlike: O.Option<StoragePath.StoragePath>
}

/** Every setting with whether its node exists, in byte order of the paths. */
export const withExistence =
  (storage: NodeAtEnv & ListEnv) =>
  (known: AccountSettings): T.Task<ReadonlyArray<Setting>> =>
    pipe(
      [...known.settings],
      RA.sort(
        Ord.contramap(([path]: readonly [StoragePath.StoragePath, Visibility.Visibility]) => path as string)(
          Name.byBytes,
        ),
      ),
      T.traverseSeqArray(([path, visibility]) =>
        pipe(
          existenceAndLookAlike(storage)(areaOf(known), path),
          T.map((found): Setting => ({ path, visibility, ...found })),
        ),
      ),
    )
