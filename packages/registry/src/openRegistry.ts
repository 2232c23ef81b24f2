import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { ReadDatabase } from './Database.js'
import { followFile } from './followFile.js'
import type { Limits } from './postgresqlPool.js'
import { type Registry, registryOver } from './Registry.js'
import type { RegistryUrl } from './RegistryUrl.js'
import type { Unavailable } from './Unavailable.js'

/** A server fails a request rather than wait longer. */
const serverLimits: Limits = { maxConnections: 10, connectTimeoutMs: 1_500, statementTimeoutMs: 3_000 }

/**
 * Opens a registry that a `canopy` command has made. Creates and changes nothing. Reopens a SQLite registry when its files are
 * replaced; until that succeeds, every port call fails with `external`.
 */
export const openRegistry = (url: RegistryUrl): TE.TaskEither<Unavailable, Registry> => {
  const open = pipe(
    openDatabase(url, serverLimits),
    TE.map((database) => registryOver(database)),
  )
  return url.engine === 'SQLite' ? followFile(url.path, open) : open
}

/** Opens a database for reading. Loads only the driver of its engine. */
export const openDatabase = (url: RegistryUrl, limits: Limits): TE.TaskEither<Unavailable, ReadDatabase> =>
  url.engine === 'SQLite'
    ? async () => (await import('./sqlite.js')).openSqlite(url)()
    : async () => (await import('./postgresql.js')).openPostgresql(url, limits)()
