import { constVoid, pipe } from 'fp-ts/lib/function.js'
import type * as T from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Kysely } from 'kysely'
import { attempt } from './attempt.js'
import type { Schema } from './Schema.js'

/** Closes every connection. One that cannot even be closed is as good as closed. */
export const closing = (db: Kysely<Schema>): T.Task<void> =>
  pipe(
    attempt(() => db.destroy()),
    TE.match(constVoid, constVoid),
  )
