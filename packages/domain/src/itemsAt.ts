import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as RTE from 'fp-ts/lib/ReaderTaskEither.js'
import * as DirectoryItem from './DirectoryItem.js'
import * as Name from './Name.js'
import { list } from './ports/list.js'
import type * as StoragePath from './StoragePath.js'
import type { View } from './View.js'
import { type VisibleEntry, visibleEntries } from './visibleEntries.js'

export interface Page {
  /** How many items at most; `none` for all. */
  readonly limit: O.Option<number>
  /** Only items whose name follows this one in byte order. It need not exist. */
  readonly after: O.Option<string>
}

export const wholeListing: Page = { limit: O.none, after: O.none }

export interface Items {
  readonly items: ReadonlyArray<DirectoryItem.DirectoryItem>
  /** Whether the asker would see more items after these. */
  readonly more: boolean
}

const pageOf = (page: Page, shown: ReadonlyArray<VisibleEntry>): Items => {
  const rest = pipe(
    page.after,
    O.match(
      () => shown,
      (after) => shown.filter(({ entry }) => Name.byBytes.compare(entry.name, after) > 0),
    ),
  )
  const count = pipe(
    page.limit,
    O.getOrElse(() => rest.length),
  )
  return {
    items: rest.slice(0, count).map(({ entry, visibility }) => DirectoryItem.fromEntry(entry, visibility)),
    more: rest.length > count,
  }
}

/** The items directly in a directory that the asker may see, in byte order of their names. */
export const itemsAt =
  ({ path }: StoragePath.RequestedPath, page: Page) =>
  (view: View) =>
    pipe(
      list(view.area, path),
      RTE.map((listing) => pageOf(page, visibleEntries(view, path, listing))),
    )
