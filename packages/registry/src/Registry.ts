import type { AreaOfTokenEnv, AreaOfUserEnv, SettingsOfEnv, TriggerOfEnv } from '@canopy/domain'
import type * as T from 'fp-ts/lib/Task.js'
import { close, type ReadDatabase } from './Database.js'
import { areaOfToken, areaOfUser, type Now, settingsOf, systemNow, triggerOf } from './ports.js'

/** The reading side, as a server needs it. Every call reads the committed state of that moment. */
export interface Registry extends AreaOfTokenEnv, AreaOfUserEnv, SettingsOfEnv, TriggerOfEnv {
  readonly close: T.Task<void>
}

export const registryOver = (database: ReadDatabase, now: Now = systemNow): Registry => ({
  areaOfToken: areaOfToken(database, now),
  areaOfUser: areaOfUser(database),
  settingsOf: settingsOf(database),
  triggerOf: triggerOf(database, now),
  close: close(database),
})
