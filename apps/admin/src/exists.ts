import { Name, type Settings, type StoragePath, type UserId, type Visibility } from '@canopy/domain'
import type { Account } from '@canopy/registry/admin'
import { pipe } from 'fp-ts/lib/function.js'
import type * as T from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { areaOf } from './areas.js'
import type { Outcome, ReadEnv } from './Command.js'

/** Whether a path names a node now; `null` where the storage does not answer. */
export type Exists = boolean | null

export const exists = (storage: ReadEnv['storage'], account: Account, path: StoragePath.StoragePath): T.Task<Exists> =>
  pipe(
    storage.nodeAt(areaOf(account), path),
    TE.match(
      ({ error }): Exists => (error === 'external' ? null : false),
      () => true,
    ),
  )

/** `what` waits for a node where none is. */
export const waiting = (what: string, exists: Exists): ReadonlyArray<string> => {
  if (exists) return []
  return exists === null
    ? ['The storage did not answer, so whether a node exists there is not known: `canopy doctor` says why.']
    : [`No node exists there now; ${what} waits for one.`]
}

/** An account and every visibility set in its area. */
export interface AccountSettings {
  readonly account: Account
  readonly settings: Settings.Settings
}

export const settingsOf = (registry: ReadEnv['registry'], user: UserId.UserId): Outcome<AccountSettings> =>
  pipe(
    registry.accounts.find(user),
    TE.bindTo('account'),
    TE.bindW('settings', () => registry.settings.of(user)),
  )

export interface Setting {
  readonly path: StoragePath.StoragePath
  readonly visibility: Visibility.Visibility
  readonly exists: Exists
}

/** Every setting, in byte order of the paths. */
export const listed =
  (storage: ReadEnv['storage'], { account, settings }: AccountSettings): T.Task<ReadonlyArray<Setting>> =>
  async () => {
    const all: Array<Setting> = []
    for (const [path, visibility] of [...settings].sort(([one], [other]) => Name.byBytes.compare(one, other)))
      all.push({ path, visibility, exists: await exists(storage, account, path)() })
    return all
  }
