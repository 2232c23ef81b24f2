import type { Failure } from '@canopy/domain'
import { constVoid, pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { ControlledTransaction, Kysely } from 'kysely'
import { attempt } from '../attempt.js'
import type { Schema } from '../Schema.js'

/** Gives the connection back as well. When it fails, the connection is gone, and the transaction with it. */
const rollBack = (transaction: ControlledTransaction<Schema>): TE.TaskEither<never, void> =>
  pipe(
    attempt(() => transaction.rollback().execute()),
    TE.match(constVoid, constVoid),
    TE.fromTask,
  )

/** All of the work, or none of it when it is refused or fails. Transactions of writers take turns. */
export const inTransaction =
  (db: Kysely<Schema>) =>
  <E, A>(work: (transaction: Kysely<Schema>) => TE.TaskEither<E, A>): TE.TaskEither<E | Failure.External, A> =>
    pipe(
      attempt(() => db.startTransaction().execute()),
      TE.flatMap((transaction) =>
        pipe(
          work(transaction),
          TE.flatMap((result) =>
            pipe(
              attempt(() => transaction.commit().execute()),
              TE.map(() => result),
            ),
          ),
          TE.tapError(() => rollBack(transaction)),
        ),
      ),
    )
