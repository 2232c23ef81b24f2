import { pipe } from 'fp-ts/lib/function.js'
import type * as IO from 'fp-ts/lib/IO.js'
import * as O from 'fp-ts/lib/Option.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import * as Alike from './Alike.js'
import { directories, type Entries } from './Entries.js'
import type { Entry, FileEntry } from './Entry.js'
import type { NodeVisibility } from './NodeVisibility.js'
import { onceFor } from './onceFor.js'
import { onceForAsker } from './onceForAsker.js'
import * as StoragePath from './StoragePath.js'
import type { Files } from './TreeNode.js'
import type { View } from './View.js'
import { alikeIn, visibleEntries } from './visibleEntries.js'

interface ShownDirectory {
  readonly type: 'dir'
  readonly path: StoragePath.StoragePath
  readonly visibility: NodeVisibility
}

/** What some entries that stand side by side show. */
export interface Shown {
  readonly count: number
  /** In the order of the listing. */
  readonly children: ReadonlyArray<Files | ShownDirectory>
}

/** A section of a directory, which shows nothing before it is looked at. */
export interface Section {
  readonly look: IO.IO<Shown>
}

/** What a directory shows to an asker. Remembered with the listing, so it holds nothing of the walk that asked first. */
export interface ShownIn {
  /** How many children, where that is known without a look at them. */
  readonly count: O.Option<number>
  readonly sections: ReadonlyArray<Section>
}

/** So many entries are looked at, and so many files written, in a fraction of a millisecond. */
const sectionLength = 512

/** Looked at once, for as long as the section lives. */
export const look: (section: Section) => Shown = onceFor((section) => section.look())

const directoryAt = (
  directory: StoragePath.StoragePath,
  { name }: Entry,
  visibility: NodeVisibility,
): ReadonlyArray<ShownDirectory> =>
  pipe(
    StoragePath.child(directory, name),
    O.map((path): ShownDirectory => ({ type: 'dir', path, visibility })),
    RA.fromOption,
  )

/** Only the directories among them are looked at: what is between them are files. */
const childrenOf =
  (directory: StoragePath.StoragePath) =>
  ({ entries, visibility }: Alike.Alike): Shown['children'] => {
    const filesBetween = (from: number, to: number): ReadonlyArray<Files> =>
      from < to ? [{ type: 'files', files: entries.slice(from, to) as Entries<FileEntry>, visibility }] : []
    const found = [...directories(entries)]
    const after = (run: number): number => (found[run - 1]?.[0] ?? -1) + 1
    return [
      ...found.flatMap(([index, entry], run) => [
        ...filesBetween(after(run), index),
        ...directoryAt(directory, entry, visibility),
      ]),
      ...filesBetween(after(found.length), entries.length),
    ]
  }

const shownOf = (view: View, directory: StoragePath.StoragePath, entries: Entries): Shown => {
  const shown = visibleEntries(view, directory, entries)
  return { count: Alike.count(shown), children: shown.flatMap(childrenOf(directory)) }
}

const sectionsOf = (view: View, directory: StoragePath.StoragePath, entries: Entries): ReadonlyArray<Section> =>
  Array.from({ length: Math.ceil(entries.length / sectionLength) }, (_, section) => ({
    look: () => shownOf(view, directory, entries.slice(section * sectionLength, (section + 1) * sectionLength)),
  }))

const nothing: ShownIn = { count: O.some(0), sections: [] }

export const shownIn = onceForAsker(
  (view, directory, { entries }): ShownIn =>
    pipe(
      alikeIn(view, directory),
      O.match(
        () => ({ count: O.none, sections: sectionsOf(view, directory, entries) }),
        (visibility) =>
          view.shows(visibility)
            ? { count: O.some(entries.length), sections: sectionsOf(view, directory, entries) }
            : nothing,
      ),
    ),
)
