import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { checkSchema } from '../checkSchema.js'
import type { ReadDatabase } from '../ReadDatabase.js'
import { describe, type SqliteUrl } from '../RegistryUrl.js'
import { type Unavailable, unavailable } from '../Unavailable.js'
import { usable } from '../usable.js'
import { reasonAndWayOut } from '../wayOut.js'
import { checkPlace } from './checkPlace.js'
import { checkSqliteVersion } from './checkSqliteVersion.js'
import { readSqlite } from './readSqlite.js'
import { cannotWriteBeside } from './sqliteErrorCode.js'

const notThere =
  (place: string) =>
  (cause: unknown): Unavailable =>
    (cause as NodeJS.ErrnoException).code === 'ENOENT'
      ? unavailable(
          `no registry at ${place}: \`canopy account create\` makes one; if there is one elsewhere, let CANOPY_DATA or CANOPY_REGISTRY name its place`,
          cause,
        )
      : unavailable(`${place} cannot be read: ${reasonAndWayOut(cause)}`, cause)

const notRead =
  (place: string) =>
  (cause: unknown): Unavailable =>
    cannotWriteBeside(cause)
      ? unavailable(
          `${place} cannot be opened: SQLite keeps two small files beside a registry that is read, ` +
            'so whoever reads it, as the server does, needs a directory that it may write, or PostgreSQL',
          cause,
        )
      : unavailable(`${place} cannot be read: ${reasonAndWayOut(cause)}`, cause)

/** For reading: the file must be there, and of this version. */
export const openSqlite = (url: SqliteUrl): TE.TaskEither<Unavailable, ReadDatabase> => {
  const place = describe(url)
  return pipe(
    TE.tryCatch(() => access(url.path, constants.R_OK), notThere(place)),
    TE.flatMap(() => checkPlace(url, notThere(place))),
    TE.flatMap(() => TE.tryCatch(async () => readSqlite(url.path), notRead(place))),
    TE.flatMap(
      usable(({ db }) =>
        pipe(
          checkSqliteVersion(db, notRead(place)),
          TE.flatMap(() => checkSchema(db, place, notRead(place))),
        ),
      ),
    ),
  )
}
