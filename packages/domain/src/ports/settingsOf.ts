import * as RTE from 'fp-ts/lib/ReaderTaskEither.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { External } from '../Failure.js'
import type { Settings } from '../Settings.js'
import type { UserId } from '../UserId.js'

export interface SettingsOfEnv {
  /** Every visibility set in the area of this account, as one immutable value; none for an unknown account. */
  readonly settingsOf: (owner: UserId) => TE.TaskEither<External, Settings>
}

export const settingsOf = (owner: UserId): RTE.ReaderTaskEither<SettingsOfEnv, External, Settings> =>
  RTE.asksReaderTaskEither((env: SettingsOfEnv) => RTE.fromTaskEither(env.settingsOf(owner)))
