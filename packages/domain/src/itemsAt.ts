import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as RTE from 'fp-ts/lib/ReaderTaskEither.js'
import * as DirectoryItem from './DirectoryItem.js'
import type { Listing } from './Entry.js'
import * as Name from './Name.js'
import { onceFor } from './onceFor.js'
import { list } from './ports/list.js'
import type { Settings } from './Settings.js'
import type * as StoragePath from './StoragePath.js'
import type { View } from './View.js'
import { visibleEntries } from './visibleEntries.js'

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

const isWhole = ({ limit, after }: Page): boolean => O.isNone(limit) && O.isNone(after)

const pageOf =
  (page: Page) =>
  (whole: Items): Items => {
    if (isWhole(page)) return whole
    const rest = pipe(
      page.after,
      O.match(
        () => whole.items,
        (after) => whole.items.filter(({ name }) => Name.byBytes.compare(name, after) > 0),
      ),
    )
    const items = rest.slice(0, O.toUndefined(page.limit))
    return { items, more: items.length < rest.length }
  }

const derive = (view: View, path: StoragePath.StoragePath, listing: Listing): Items => ({
  items: visibleEntries(view, path, listing).map(({ entry, visibility }) => DirectoryItem.fromEntry(entry, visibility)),
  more: false,
})

/** For each way of seeing, the items at each path that has this listing: one, as a rule. */
type ByPath = Map<StoragePath.StoragePath, Items>
const ofAsker = () => onceFor<View['shows'], ByPath>(() => new Map())
const ofSettings = () => onceFor<Settings, ReturnType<typeof ofAsker>>(ofAsker)
const derived = onceFor<Listing, ReturnType<typeof ofSettings>>(ofSettings)

/** The same value for the same listing, settings and asker, so that more can be remembered by its identity. */
const itemsIn =
  (view: View, path: StoragePath.StoragePath) =>
  (listing: Listing): Items => {
    const known = derived(listing)(view.settings)(view.shows)
    const items = known.get(path) ?? derive(view, path, listing)
    known.set(path, items)
    return items
  }

/** The items directly in a directory that the asker may see, in byte order of their names. */
export const itemsAt =
  ({ path }: StoragePath.RequestedPath, page: Page) =>
  (view: View) =>
    pipe(list(view.area, path), RTE.map(itemsIn(view, path)), RTE.map(pageOf(page)))
