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
  (check: (db: Kysely<Schema>) => TE.TaskEither<Unavailable, unknown>) =>
  (db: Kysely<Schema>): TE.TaskEither<Unavailable, Kysely<Schema>> =>
    pipe(
      check(db),
      T.tap(
        E.match(
          () => closing(db),
          () => T.of(undefined),
        ),
      ),
      TE.map(() => db),
    )
