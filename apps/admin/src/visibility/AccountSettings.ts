import type { Area, Settings, UserId } from '@canopy/domain'
import type { Account } from '@canopy/registry/admin'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { RegistryEnv, RegistryLookEnv } from '../CommandEnv.js'
import type { Problem } from '../Problem.js'
import { refused } from '../refused.js'

/** An account and every visibility set in its area. */
export interface AccountSettings {
  readonly account: Account
  readonly settings: Settings.Settings
}

export const of =
  (user: UserId.UserId) =>
  ({ registry }: RegistryEnv | RegistryLookEnv): TE.TaskEither<Problem, AccountSettings> =>
    pipe(
      registry.accounts.find(user),
      TE.bindTo('account'),
      TE.bindW('settings', () => registry.settings.of(user)),
      TE.mapLeft(refused),
    )

export const areaOf = ({ account }: Pick<AccountSettings, 'account'>): Area.Area => ({
  owner: account.id,
  location: account.location,
})
