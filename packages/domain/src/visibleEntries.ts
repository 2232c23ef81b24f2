import { constant, pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import type { Entry, Listing } from './Entry.js'
import * as NodeVisibility from './NodeVisibility.js'
import { onceFor } from './onceFor.js'
import * as Settings from './Settings.js'
import * as StoragePath from './StoragePath.js'
import type { View } from './View.js'

export interface VisibleEntry {
  readonly entry: Entry
  readonly path: StoragePath.StoragePath
  readonly visibility: NodeVisibility.NodeVisibility
}

/** More settings than this cost more to gather than the short cut saves, and all at once. */
const mostGathered = 10_000

/** The directories in which some child has a setting of its own. */
const settledIn = onceFor(
  (settings: Settings.Settings): ReadonlySet<StoragePath.StoragePath> =>
    new Set(pipe([...settings.keys()], RA.filterMap(StoragePath.parent))),
)

const visibilityIn = (
  { settings }: View,
  directory: StoragePath.StoragePath,
): ((child: StoragePath.StoragePath) => NodeVisibility.NodeVisibility) => {
  const inherited = Settings.visibilityAt(settings, directory)
  // Stryker disable next-line ConditionalExpression,EqualityOperator: a short cut only, for the many directories where nothing is set.
  return settings.size > mostGathered || settledIn(settings).has(directory)
    ? (child) => Settings.visibilityOfChild(settings, inherited, child)
    : constant(NodeVisibility.inherit(inherited))
}

/** What a directory shows to the asker, in the order of the listing. */
export const visibleEntries = (
  view: View,
  directory: StoragePath.StoragePath,
  listing: Pick<Listing, 'entries'>,
): ReadonlyArray<VisibleEntry> => {
  const visibilityOf = visibilityIn(view, directory)
  const visible: Array<VisibleEntry> = []
  for (const entry of listing.entries) {
    const path = StoragePath.child(directory, entry.name)
    if (O.isNone(path)) continue
    const visibility = visibilityOf(path.value)
    if (view.shows(visibility)) visible.push({ entry, path: path.value, visibility })
  }
  return visible
}
