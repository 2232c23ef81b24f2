import { Failure } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { constVoid } from 'fp-ts/lib/function.js'
import type * as T from 'fp-ts/lib/Task.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { Expression, Kysely } from 'kysely'
import type { Schema } from './Schema.js'
import { errorWithHint, type Unavailable } from './Unavailable.js'

export interface Database {
  /** Open for writing, it runs transactions one after the other, across all writing processes. */
  readonly db: Kysely<Schema>
  /** Runs a query in `tx`, a transaction or a snapshot, and yields at most {@link batchSize} rows at once. */
  readonly batches: <Row>(tx: Kysely<Schema>, query: Query<Row>) => AsyncGenerator<ReadonlyArray<Row>>
}

/** A `select` of Kysely. */
export interface Query<Row> extends Expression<Row> {
  readonly stream: (chunkSize: number) => AsyncIterable<Row>
}

export interface ReadDatabase extends Database {
  /**
   * Changes with every commit that a query could see. Rejects once a newer Canopy has migrated the tables to a version that
   * this code cannot read.
   */
  readonly version: () => Promise<number | string>
  /** Runs all queries of `read` against the state of one moment, without blocking other requests. */
  readonly snapshot: <A>(read: (db: Kysely<Schema>) => Promise<A>) => Promise<A>
  /** The first damage in the file. PostgreSQL checks its own files: always empty. */
  readonly damage: TE.TaskEither<Failure.External, ReadonlyArray<string>>
}

/** SQLite and a driver need a few milliseconds for this many rows. */
export const batchSize = 1_000

/** Turns an exception of a driver into `external`. */
export const tryQuery =
  <Result extends E.Either<unknown, unknown>>(
    query: () => Promise<Result>,
  ): T.Task<Result | E.Left<Failure.External>> =>
  async () => {
    try {
      return await query()
    } catch (thrown) {
      return { _tag: 'Left', left: Failure.external(errorWithHint(thrown)) }
    }
  }

/** Commits if `work` returns `right`; otherwise rolls back. Rejects with the exception of the driver. */
export const runTransaction = async <Result extends E.Either<unknown, unknown>>(
  db: Kysely<Schema>,
  work: (tx: Kysely<Schema>) => Promise<Result>,
): Promise<Result> => {
  const tx = await db.startTransaction().execute()
  try {
    const result = await work(tx)
    await (E.isRight(result) ? tx.commit() : tx.rollback()).execute()
    return result
  } catch (cause) {
    // Also releases the connection. Fails where the database has rolled back by itself: on a full disk, or a broken connection.
    await tx.rollback().execute().catch(constVoid)
    throw cause
  }
}

/** Like {@link runTransaction}, with exceptions of the driver as `external`. */
export const inTransaction = <Result extends E.Either<unknown, unknown>>(
  db: Kysely<Schema>,
  work: (tx: Kysely<Schema>) => Promise<Result>,
): T.Task<Result | E.Left<Failure.External>> => tryQuery(() => runTransaction(db, work))

/** Ignores failures: a connection that cannot be closed is broken already. */
export const close =
  ({ db }: Database): T.Task<void> =>
  () =>
    db.destroy().catch(constVoid)

/** Closes the database again if `check` finds a problem. `explain` translates exceptions of both steps. */
export const openChecked =
  <D extends Database>(
    open: () => Promise<E.Either<Unavailable, D>>,
    check: (database: D) => Promise<Unavailable | undefined>,
    explain: (cause: unknown) => Unavailable,
  ): TE.TaskEither<Unavailable, D> =>
  async () => {
    const opened = await open().catch((cause: unknown) => E.left(explain(cause)))
    if (E.isLeft(opened)) return opened
    const problem = await check(opened.right).catch(explain)
    if (problem === undefined) return opened
    await close(opened.right)()
    return E.left(problem)
  }
