import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import type { Alike } from './Alike.js'
import type { Entries } from './Entries.js'
import type { Entry } from './Entry.js'
import * as NodeVisibility from './NodeVisibility.js'
import { onceFor } from './onceFor.js'
import * as Settings from './Settings.js'
import * as StoragePath from './StoragePath.js'
import type { View } from './View.js'

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

/** Entries alike, with no other that is shown between them, from one index to before another. */
interface Run {
  readonly entries: Array<Entry>
  readonly visibility: NodeVisibility.NodeVisibility
  readonly from: number
  to: number
}

const takes = (run: Run | undefined, { inherited, visibility }: NodeVisibility.NodeVisibility): run is Run =>
  run?.visibility.inherited === inherited && run.visibility.visibility === visibility

/** Where nothing lies between them they are a slice of all entries: what is remembered then holds none of them. */
const alikeAmong =
  (all: Entries) =>
  ({ entries, visibility, from, to }: Run): Alike => ({
    entries: to - from === entries.length ? all.slice(from, to) : entries,
    visibility,
  })

const shownByPath = (view: View, directory: StoragePath.StoragePath, entries: Entries): ReadonlyArray<Alike> => {
  const inherited = Settings.visibilityAt(view.settings, directory)
  const runs: Array<Run> = []
  for (const [index, entry] of [...entries].entries()) {
    const path = StoragePath.child(directory, entry.name)
    if (O.isNone(path)) continue
    const visibility = Settings.visibilityOfChild(view.settings, inherited, path.value)
    if (!view.shows(visibility)) continue
    const last = runs.at(-1)
    if (takes(last, visibility)) {
      last.entries.push(entry)
      last.to = index + 1
    } else runs.push({ entries: [entry], visibility, from: index, to: index + 1 })
  }
  return runs.map(alikeAmong(entries))
}

/** What some entries of a directory show to the asker, in their order; those alike together. All at once: they should be few. */
export const visibleEntries = (
  view: View,
  directory: StoragePath.StoragePath,
  entries: Entries,
): ReadonlyArray<Alike> =>
  pipe(
    alikeIn(view, directory),
    O.match(
      () => shownByPath(view, directory, entries),
      (visibility) => (entries.length > 0 && view.shows(visibility) ? [{ entries, visibility }] : []),
    ),
  )
