import { setImmediate as tick } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { Failure } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { constVoid } from 'fp-ts/lib/function.js'
import type * as T from 'fp-ts/lib/Task.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { Kysely } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Schema } from './Schema.js'
import { type Unavailable, withHint } from './Unavailable.js'

export interface Database {
  /** Where it writes, one transaction begins when another one has ended, across every process that writes. */
  readonly db: Kysely<Schema>
}

export interface ReadDatabase extends Database {
  /**
   * Two equal answers: nothing that was committed between the questions is seen by a query. Rejects once the tables are of
   * a version that cannot be read.
   */
  readonly version: () => Promise<number | string>
  /** Everything that is read by this is of one moment. Others are answered in the meantime. */
  readonly snapshot: <A>(read: (db: Kysely<Schema>) => Promise<A>) => Promise<A>
  /** The first thing that is wrong with its file; nothing of PostgreSQL, which keeps its own. */
  readonly damage: TE.TaskEither<Failure.External, ReadonlyArray<string>>
}

/** What SQLite and a driver take a few milliseconds for. */
export const rowsOfABatch = 1_000

/** The rows of a query in a transaction, a part of them in memory at a time. Others are answered between two parts. */
export async function* batchesOf<Row>(query: {
  readonly stream: (rows: number) => AsyncIterable<Row>
}): AsyncGenerator<ReadonlyArray<Row>> {
  let batch: Array<Row> = []
  for await (const row of query.stream(rowsOfABatch)) {
    batch.push(row)
    if (batch.length < rowsOfABatch) continue
    yield batch
    batch = []
    // SQLite answers on this thread, row by row.
    await tick()
  }
  if (batch.length > 0) yield batch
}

/** What a question answers. Whatever a driver throws is `external`. */
export const answering =
  <Answer extends E.Either<unknown, unknown>>(ask: () => Promise<Answer>): T.Task<Answer | E.Left<Failure.External>> =>
  async () => {
    try {
      return await ask()
    } catch (thrown) {
      return { _tag: 'Left', left: Failure.external(withHint(thrown)) }
    }
  }

/** All of the work, or none of it when it is refused or fails. Transactions of writers wait for each other. */
export const inTransaction = <R extends E.Either<unknown, unknown>>(
  db: Kysely<Schema>,
  work: (tx: Kysely<Schema>) => Promise<R>,
): T.Task<R | E.Left<Failure.External>> =>
  answering(async () => {
    const tx = await db.startTransaction().execute()
    try {
      const result = await work(tx)
      await (E.isRight(result) ? tx.commit() : tx.rollback()).execute()
      return result
    } catch (cause) {
      // Gives the connection back as well. When it fails, the connection is gone, and the tx with it.
      await tx.rollback().execute().catch(constVoid)
      throw cause
    }
  })

/** A connection that cannot even be closed is as good as closed. */
export const closing =
  ({ db }: Database): T.Task<void> =>
  () =>
    db.destroy().catch(() => undefined)

/** The database, if the check finds nothing against it; otherwise it is closed again. `explain` is asked of what was thrown. */
export const opening =
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
    await closing(opened.right)()
    return E.left(problem)
  }

type Rows = ReadonlyArray<object>

interface Cached<A> {
  readonly rows: Rows
  readonly answer: A
  /** The version of the database before they were read: at the worst they are newer, and read once more. */
  readonly version: number | string
}

/** How many keys of one query: accounts, tokens or triggers in use at a time. */
const mostKeys = 20_000

/** What a key may hold before it counts as another one, in characters: triggers can be large. */
const charactersOfAKey = 4096

const sizeOf = ({ rows }: Cached<unknown>): number =>
  1 + Math.floor(rows.flatMap((row) => Object.values(row)).join('').length / charactersOfAKey)

/**
 * A query by a key, not run again while the version stays the same; and what was made of its rows, the same value for as
 * long as the rows are equal, so that a change elsewhere does not undo it. That there are no rows is remembered as well,
 * so that a wrong guess takes as long as a right one, but apart: guesses push out only other guesses.
 */
export const cached = <A>(
  version: ReadDatabase['version'],
  find: (key: string) => Promise<Rows>,
  answerOf: (rows: Rows, key: string) => A,
): ((key: string) => Promise<A>) => {
  // By size: for a number of keys the cache would take all its memory at once, half a megabyte.
  const bounds = { maxSize: mostKeys, sizeCalculation: sizeOf }
  const present = new LRUCache<string, Cached<A>>(bounds)
  const absent = new LRUCache<string, Cached<A>>(bounds)
  const known = (key: string): Cached<A> | undefined => present.get(key) ?? absent.get(key)

  return async (key) => {
    const now = await version()
    const before = known(key)
    if (before?.version === now) return before.answer
    const rows = await find(key)
    const last = known(key)
    const answer = last !== undefined && isDeepStrictEqual(last.rows, rows) ? last.answer : answerOf(rows, key)
    const [home, other] = rows.length > 0 ? [present, absent] : [absent, present]
    other.delete(key)
    home.set(key, { rows, answer, version: now })
    return answer
  }
}
