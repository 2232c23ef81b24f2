import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Kysely } from 'kysely'
import { closing } from './closing.js'
import type { Schema } from './Schema.js'
import type { Unavailable } from './Unavailable.js'

/** The database, if the check finds nothing against it; otherwise it is closed again. */
export const usable =
  <D extends { readonly db: Kysely<Schema> }>(check: (database: D) => TE.TaskEither<Unavailable, unknown>) =>
  (database: D): TE.TaskEither<Unavailable, D> =>
    pipe(
      check(database),
      TE.map(() => database),
      TE.tapError(() => TE.fromTask(closing(database.db))),
    )
