import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import type { Entry, Listing } from './Entry.js'
import type { NodeVisibility } from './NodeVisibility.js'
import * as Settings from './Settings.js'
import * as StoragePath from './StoragePath.js'
import type { View } from './View.js'

export interface VisibleEntry {
  readonly entry: Entry
  readonly path: StoragePath.StoragePath
  readonly visibility: NodeVisibility
}

/** What a directory shows to the asker, in the order of the listing. */
export const visibleEntries = (
  view: View,
  directory: StoragePath.StoragePath,
  listing: Listing,
): ReadonlyArray<VisibleEntry> => {
  const inherited = Settings.visibilityAt(view.settings, directory)
  return pipe(
    listing.entries,
    RA.filterMap((entry) =>
      pipe(
        StoragePath.child(directory, entry.name),
        O.map((path) => ({ entry, path, visibility: Settings.visibilityOfChild(view.settings, inherited, path) })),
        O.filter(({ visibility }) => view.shows(visibility)),
      ),
    ),
  )
}
