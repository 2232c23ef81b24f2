import type { AreaOfTokenEnv, AreaOfUserEnv, SettingsOfEnv, TriggerOfEnv } from '@canopy/domain'
import { pipe } from 'fp-ts/lib/function.js'
import type * as T from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { closing, type ReadDatabase } from './Database.js'
import { followFile } from './followFile.js'
import { areaOfToken, areaOfUser, type Now, settingsOf, systemNow, triggerOf } from './ports.js'
import type { Limits } from './postgresql.js'
import type { RegistryUrl } from './RegistryUrl.js'
import type { Unavailable } from './Unavailable.js'

/** The reading side: what a server needs, and nothing that writes. Every call reads what is committed at that moment. */
export interface Registry extends AreaOfTokenEnv, AreaOfUserEnv, SettingsOfEnv, TriggerOfEnv {
  readonly close: T.Task<void>
}

/** For reading. Each engine brings its driver: only the one that is wanted is loaded. */
export const openDatabase = (url: RegistryUrl, limits: Limits): TE.TaskEither<Unavailable, ReadDatabase> =>
  url.engine === 'SQLite'
    ? async () => (await import('./sqlite.js')).openSqlite(url)()
    : async () => (await import('./postgresql.js')).openPostgresql(url, limits)()

export const registryOver = (database: ReadDatabase, now: Now = systemNow): Registry => ({
  areaOfToken: areaOfToken(database, now),
  areaOfUser: areaOfUser(database),
  settingsOf: settingsOf(database),
  triggerOf: triggerOf(database, now),
  close: closing(database),
})

/** A request does not wait long. */
const prompt: Limits = { connections: 10, connectTimeoutMs: 1_500, statementTimeoutMs: 3_000 }

/**
 * Opens a registry that a `canopy` command has made. Creates and changes nothing. A registry in SQLite is opened again when
 * its files are replaced; while that fails, every answer is `external`.
 */
export const openRegistry = (url: RegistryUrl): TE.TaskEither<Unavailable, Registry> => {
  const open = pipe(
    openDatabase(url, prompt),
    TE.map((database) => registryOver(database)),
  )
  return url.engine === 'SQLite' ? followFile(url.path, open) : open
}
