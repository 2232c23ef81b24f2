import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as RTE from 'fp-ts/lib/ReaderTaskEither.js'
import * as Alike from './Alike.js'
import type { Batch } from './Batch.js'
import type { Entries } from './Entries.js'
import type { End, Items } from './Items.js'
import * as Listing from './Listing.js'
import { onceForAsker } from './onceForAsker.js'
import { list } from './ports/list.js'
import type * as StoragePath from './StoragePath.js'
import type { View } from './View.js'
import { visibleEntries } from './visibleEntries.js'
import { wholeFor } from './wholeFor.js'

/** Which items of a directory are asked for, in byte order of their names. */
export interface Page {
  /** How many items at most; `none` for all. */
  readonly limit: O.Option<number>
  /** Only items whose name follows this one in byte order. It need not exist. */
  readonly after: O.Option<string>
}

/** All items, on one page. */
export const wholeListing: Page = { limit: O.none, after: O.none }

const isWhole = ({ limit, after }: Page): boolean => O.isNone(limit) && O.isNone(after)

/** Entries that one batch is made of: so many are chosen and written in less than a millisecond. */
const batchLength = 256

/** The items from an entry on, `left` of them at most. */
const from =
  (view: View, path: StoragePath.StoragePath, entries: Entries) =>
  (start: number, left: number): Batch<Alike.Alike, End> => {
    const next = start + batchLength
    const shown = visibleEntries(view, path, entries.slice(start, next))
    const count = Alike.count(shown)
    const items = Alike.take(left)(shown)
    return count > left
      ? { is: 'last', items, end: { more: true } }
      : next >= entries.length
        ? { is: 'last', items, end: { more: false } }
        : { is: 'some', items, rest: () => from(view, path, entries)(next, left - count) }
  }

const all = Number.POSITIVE_INFINITY

/** The same value each time, so that more can be remembered by its identity. */
const whole = onceForAsker(
  (view, path, { entries }): Items => ({
    most: entries.length,
    unfold: () => from(view, path, entries)(0, all),
  }),
)

const pageOf = (view: View, path: StoragePath.StoragePath, { limit, after }: Page) => {
  const most = pipe(
    limit,
    O.getOrElse(() => all),
  )
  return ({ entries }: Listing.Listing): Items => {
    const start = pipe(
      after,
      O.match(
        () => 0,
        (name) => Listing.indexAfter(entries, name),
      ),
    )
    return { most: Math.min(most, entries.length - start), unfold: () => from(view, path, entries)(start, most) }
  }
}

/** The items directly in a directory that the asker may see, in byte order of their names. */
export const itemsAt =
  ({ path }: StoragePath.RequestedPath, page: Page) =>
  (view: View) =>
    pipe(
      list(view.area, path),
      RTE.flatMapEither(wholeFor(view, path)),
      RTE.map(isWhole(page) ? whole(view, path) : pageOf(view, path, page)),
    )
