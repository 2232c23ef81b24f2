import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { PostgresqlOptions } from './postgresql/PostgresqlOptions.js'
import type { ReadDatabase } from './ReadDatabase.js'
import type { RegistryUrl } from './RegistryUrl.js'
import type { Unavailable } from './Unavailable.js'

/** For reading. Each engine brings its driver: only the one that is wanted is loaded. */
export const openDatabase = (
  url: RegistryUrl,
  options: Partial<PostgresqlOptions>,
): TE.TaskEither<Unavailable, ReadDatabase> =>
  url.engine === 'SQLite'
    ? pipe(
        TE.fromTask(() => import('./sqlite/openSqlite.js')),
        TE.flatMap(({ openSqlite }) => openSqlite(url)),
      )
    : pipe(
        TE.fromTask(() => import('./postgresql/openPostgresql.js')),
        TE.flatMap(({ openPostgresql }) => openPostgresql(url, options)),
      )
