import { isDeepStrictEqual } from 'node:util'
import { Failure } from '@canopy/domain'
import type * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type * as T from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { CompiledQuery, Kysely } from 'kysely'
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
  /**
   * Gives the rows of a query in parts of so many, as all of them are at one moment, until no more are wanted. Others are
   * answered in the meantime. `key` is a column of text that no two of the rows share.
   */
  readonly inParts: <Row extends Readonly<Record<Key, string>>, Key extends string>(
    query: CompiledQuery<Row>,
    key: Key,
    rowsOfAPart: number,
    onPart: (rows: ReadonlyArray<Row>) => Promise<boolean>,
  ) => Promise<void>
  /** Everything that is read by this is of one moment. */
  readonly snapshot: <A>(read: (db: Kysely<Schema>) => Promise<A>) => Promise<A>
  /** The first thing that is wrong with its file; nothing of PostgreSQL, which keeps its own. */
  readonly damage: TE.TaskEither<Failure.External, ReadonlyArray<string>>
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

/** A connection that cannot even be closed is as good as closed. */
export const closing =
  ({ db }: Database): T.Task<void> =>
  () =>
    db.destroy().catch(() => undefined)

/** The database, if the check finds nothing against it; otherwise it is closed again. */
export const checked =
  <D extends Database>(check: (database: D) => TE.TaskEither<Unavailable, unknown>) =>
  (database: D): TE.TaskEither<Unavailable, D> =>
    pipe(
      check(database),
      TE.map(() => database),
      TE.tapError(() => TE.fromTask(closing(database))),
    )

/** One question at a time. All who ask while one is under way share the next: that one may have missed what they must see. */
export const singleFlight = <A>(ask: () => A | Promise<A>): (() => Promise<A>) => {
  let last: Promise<unknown> = Promise.resolve()
  let next: Promise<A> | undefined
  const begin = (): A | Promise<A> => {
    next = undefined
    return ask()
  }
  return () => {
    if (next === undefined) {
      next = last.then(begin)
      last = next.catch(() => undefined)
    }
    return next
  }
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
