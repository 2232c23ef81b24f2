import type { AreaOfTokenEnv, AreaOfUserEnv, SettingsOfEnv, TriggerOfEnv } from '@canopy/domain'
import { pipe } from 'fp-ts/lib/function.js'
import type * as T from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { closing } from './closing.js'
import { type Now, systemNow } from './Now.js'
import { openDatabase } from './openDatabase.js'
import { areaOfToken } from './ports/areaOfToken.js'
import { areaOfUser } from './ports/areaOfUser.js'
import { settingsOf } from './ports/settingsOf.js'
import { triggerOf } from './ports/triggerOf.js'
import type { PostgresqlOptions } from './postgresql/PostgresqlOptions.js'
import type { ReadDatabase } from './ReadDatabase.js'
import type { RegistryUrl } from './RegistryUrl.js'
import { followFile } from './sqlite/followFile.js'
import type { Unavailable } from './Unavailable.js'

/** The reading side: what a server needs, and nothing that writes. Every call reads what is committed at that moment. */
export interface Registry extends AreaOfTokenEnv, AreaOfUserEnv, SettingsOfEnv, TriggerOfEnv {
  readonly close: T.Task<void>
}

/** All but `now` are for PostgreSQL: 10 connections, 2,000 ms and 2,000 ms where nothing else is said. */
export interface RegistryOptions extends Partial<PostgresqlOptions> {
  /** The system's clock where nothing else is said. */
  readonly now?: Now
}

const registryOver =
  (now: Now) =>
  (database: ReadDatabase): Registry => ({
    areaOfToken: areaOfToken(database, now),
    areaOfUser: areaOfUser(database),
    settingsOf: settingsOf(database),
    triggerOf: triggerOf(database, now),
    close: closing(database.db),
  })

/**
 * Opens a registry that a `canopy` command has made. Creates and changes nothing. A registry in SQLite is opened again when
 * its files are replaced; while that fails, every answer is `external`.
 */
export const openRegistry = (
  url: RegistryUrl,
  { now = systemNow, ...options }: RegistryOptions = {},
): TE.TaskEither<Unavailable, Registry> => {
  const open = pipe(openDatabase(url, options), TE.map(registryOver(now)))
  return url.engine === 'SQLite' ? followFile(url.path, open) : open
}
