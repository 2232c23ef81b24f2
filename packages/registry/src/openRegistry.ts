import type { AreaOfTokenEnv, AreaOfUserEnv, SettingsOfEnv, TriggerOfEnv } from '@canopy/domain'
import { pipe } from 'fp-ts/lib/function.js'
import type * as T from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { closing, type ReadDatabase } from './Database.js'
import { followFile } from './followFile.js'
import { areaOfToken, areaOfUser, type Now, settingsOf, systemNow, triggerOf } from './ports.js'
import type { PostgresqlOptions } from './postgresql.js'
import type { RegistryUrl } from './RegistryUrl.js'
import type { Unavailable } from './Unavailable.js'

/** The reading side: what a server needs, and nothing that writes. Every call reads what is committed at that moment. */
export interface Registry extends AreaOfTokenEnv, AreaOfUserEnv, SettingsOfEnv, TriggerOfEnv {
  readonly close: T.Task<void>
}

/** Otherwise the system's clock, and for PostgreSQL 10 connections, 1,500 ms and 3,000 ms. */
export interface RegistryOptions extends Partial<PostgresqlOptions> {
  readonly now?: Now
}

/** For reading. Each engine brings its driver: only the one that is wanted is loaded. */
export const openDatabase = (
  url: RegistryUrl,
  options: Partial<PostgresqlOptions>,
): TE.TaskEither<Unavailable, ReadDatabase> =>
  url.engine === 'SQLite'
    ? async () => (await import('./sqlite.js')).openSqlite(url)()
    : async () => (await import('./postgresql.js')).openPostgresql(url, options)()

const registryOver =
  (now: Now) =>
  (database: ReadDatabase): Registry => ({
    areaOfToken: areaOfToken(database, now),
    areaOfUser: areaOfUser(database),
    settingsOf: settingsOf(database),
    triggerOf: triggerOf(database, now),
    close: closing(database),
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
