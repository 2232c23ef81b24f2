import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import type { Entries } from './Entries.js'
import type { Entry } from './Entry.js'
import * as NodeVisibility from './NodeVisibility.js'
import { onceFor } from './onceFor.js'
import * as Settings from './Settings.js'
import * as StoragePath from './StoragePath.js'
import type { View } from './View.js'

interface VisibleEntry {
  /** Its place among all entries. */
  readonly index: number
  readonly entry: Entry
  readonly visibility: NodeVisibility.NodeVisibility
}

/** More settings than this cost more to gather than the short cut saves, and all at once. */
const mostGathered = 10_000

/** The directories in which some child has a setting of its own. */
const settledIn = onceFor(
  (settings: Settings.Settings): ReadonlySet<StoragePath.StoragePath> =>
    new Set(pipe([...settings.keys()], RA.filterMap(StoragePath.parent))),
)

const ofChildren = ({ settings }: View, directory: StoragePath.StoragePath): NodeVisibility.NodeVisibility =>
  NodeVisibility.inherit(Settings.visibilityAt(settings, directory))

/**
 * The visibility of every child of a directory, where it is known without a look at them: nothing is set in it, and no
 * name is too long for its path.
 */
export const alikeIn = (view: View, directory: StoragePath.StoragePath): O.Option<NodeVisibility.NodeVisibility> =>
  // Stryker disable next-line ConditionalExpression,EqualityOperator: a short cut only, for the many directories where nothing is set.
  StoragePath.hasRoom(directory) && view.settings.size <= mostGathered && !settledIn(view.settings).has(directory)
    ? O.some(ofChildren(view, directory))
    : O.none

const shownByPath = (view: View, directory: StoragePath.StoragePath, entries: Entries): ReadonlyArray<VisibleEntry> => {
  const inherited = Settings.visibilityAt(view.settings, directory)
  const visible: Array<VisibleEntry> = []
  for (const [index, entry] of [...entries].entries()) {
    const path = StoragePath.child(directory, entry.name)
    if (O.isNone(path)) continue
    const visibility = Settings.visibilityOfChild(view.settings, inherited, path.value)
    if (view.shows(visibility)) visible.push({ index, entry, visibility })
  }
  return visible
}

/** What some entries of a directory show to the asker, in their order. All at once: they should be few. */
export const visibleEntries = (
  view: View,
  directory: StoragePath.StoragePath,
  entries: Entries,
): ReadonlyArray<VisibleEntry> =>
  pipe(
    alikeIn(view, directory),
    O.match(
      () => shownByPath(view, directory, entries),
      (visibility) =>
        view.shows(visibility) ? Array.from(entries, (entry, index) => ({ index, entry, visibility })) : [],
    ),
  )
