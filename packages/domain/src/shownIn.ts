import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import { directories, type Entries } from './Entries.js'
import type { Entry, FileEntry } from './Entry.js'
import type { Listing } from './Listing.js'
import type { NodeVisibility } from './NodeVisibility.js'
import { onceForAsker } from './onceForAsker.js'
import * as StoragePath from './StoragePath.js'
import type { Files } from './TreeNode.js'
import type { View } from './View.js'
import { alikeIn, visibleEntries } from './visibleEntries.js'

export interface ShownDirectory {
  readonly type: 'dir'
  readonly path: StoragePath.StoragePath
  readonly visibility: NodeVisibility
}

/** What a directory shows to an asker. Remembered with the listing, so it holds nothing of the walk that asked first. */
export interface Shown {
  readonly count: number
  /** In the order of the listing. */
  readonly parts: ReadonlyArray<Files | ShownDirectory>
}

/** So many files are written in a fraction of a millisecond. */
const mostFiles = 512

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
    Array.from({ length: Math.ceil((to - from) / mostFiles) }, (_, run) => ({
      type: 'files',
      files: entries.slice(from + run * mostFiles, Math.min(to, from + (run + 1) * mostFiles)) as Entries<FileEntry>,
      visibility,
    }))
  const found = [...directories(entries)]
  const after = (run: number): number => (found[run - 1]?.[0] ?? -1) + 1
  return {
    count: entries.length,
    parts: [
      ...found.flatMap(([index, entry], run) => [
        ...filesBetween(after(run), index),
        ...directoryAt(directory, entry, visibility),
      ]),
      ...filesBetween(after(found.length), entries.length),
    ],
  }
}

interface Run extends Files {
  readonly files: Array<FileEntry>
}

const takes = (run: Run | ShownDirectory | undefined, { inherited, visibility }: NodeVisibility): run is Run =>
  run?.type === 'files' &&
  run.files.length < mostFiles &&
  run.visibility.inherited === inherited &&
  run.visibility.visibility === visibility

const byPath = (view: View, directory: StoragePath.StoragePath, listing: Listing): Shown => {
  const visible = visibleEntries(view, directory, listing)
  const parts: Array<Run | ShownDirectory> = []
  for (const { entry, visibility } of visible) {
    const last = parts.at(-1)
    if (entry.type === 'dir') parts.push(...directoryAt(directory, entry, visibility))
    else if (takes(last, visibility)) last.files.push(entry)
    else parts.push({ type: 'files', files: [entry], visibility })
  }
  return { count: visible.length, parts }
}

const nothing: Shown = { count: 0, parts: [] }

export const shownIn = onceForAsker(
  (view, directory, listing): Shown =>
    pipe(
      alikeIn(view, directory),
      O.match(
        () => byPath(view, directory, listing),
        (visibility) => (view.shows(visibility) ? alike(directory, listing.entries, visibility) : nothing),
      ),
    ),
)
