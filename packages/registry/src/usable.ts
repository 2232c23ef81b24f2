import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as T from 'fp-ts/lib/Task.js'
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
      T.tap(
        E.match(
          () => closing(database.db),
          () => T.of(undefined),
        ),
      ),
      TE.map(() => database),
    )
