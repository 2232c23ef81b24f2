import { pipe } from 'fp-ts/lib/function.js'
import type * as IO from 'fp-ts/lib/IO.js'
import * as O from 'fp-ts/lib/Option.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
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

/** Where all children are alike only the directories are looked at: what is between them are files. */
const alike = (directory: StoragePath.StoragePath, entries: Entries, visibility: NodeVisibility): Shown => {
  const filesBetween = (from: number, to: number): ReadonlyArray<Files> =>
    from < to ? [{ type: 'files', files: entries.slice(from, to) as Entries<FileEntry>, visibility }] : []
  const found = [...directories(entries)]
  const after = (run: number): number => (found[run - 1]?.[0] ?? -1) + 1
  return {
    count: entries.length,
    children: [
      ...found.flatMap(([index, entry], run) => [
        ...filesBetween(after(run), index),
        ...directoryAt(directory, entry, visibility),
      ]),
      ...filesBetween(after(found.length), entries.length),
    ],
  }
}

/** Files alike in visibility with no other that is shown between them, from one index to before another. */
interface Run extends Files {
  readonly files: Array<FileEntry>
  readonly from: number
  to: number
}

const takes = (run: Run | ShownDirectory | undefined, { inherited, visibility }: NodeVisibility): run is Run =>
  run?.type === 'files' && run.visibility.inherited === inherited && run.visibility.visibility === visibility

/** Where nothing lies between them they are a slice of the entries: what is remembered then holds none of them. */
const asFiles =
  (entries: Entries) =>
  ({ files, from, to, visibility }: Run): Files => ({
    type: 'files',
    files: to - from === files.length ? (entries.slice(from, to) as Entries<FileEntry>) : files,
    visibility,
  })

const byPath = (view: View, directory: StoragePath.StoragePath, entries: Entries): Shown => {
  const visible = visibleEntries(view, directory, entries)
  const children: Array<Run | ShownDirectory> = []
  for (const { index, entry, visibility } of visible) {
    const last = children.at(-1)
    if (entry.type === 'dir') children.push(...directoryAt(directory, entry, visibility))
    else if (takes(last, visibility)) {
      last.files.push(entry)
      last.to = index + 1
    } else children.push({ type: 'files', files: [entry], from: index, to: index + 1, visibility })
  }
  const files = asFiles(entries)
  return { count: visible.length, children: children.map((child) => (child.type === 'dir' ? child : files(child))) }
}

const sectionsOf = (entries: Entries, lookAt: (section: Entries) => Shown): ReadonlyArray<Section> =>
  Array.from({ length: Math.ceil(entries.length / sectionLength) }, (_, section) => ({
    look: () => lookAt(entries.slice(section * sectionLength, (section + 1) * sectionLength)),
  }))

const nothing: ShownIn = { count: O.some(0), sections: [] }

export const shownIn = onceForAsker(
  (view, directory, { entries }): ShownIn =>
    pipe(
      alikeIn(view, directory),
      O.match(
        () => ({ count: O.none, sections: sectionsOf(entries, (section) => byPath(view, directory, section)) }),
        (visibility) =>
          view.shows(visibility)
            ? {
                count: O.some(entries.length),
                sections: sectionsOf(entries, (section) => alike(directory, section, visibility)),
              }
            : nothing,
      ),
    ),
)
