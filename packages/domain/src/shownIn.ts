import type { FileEntry } from './Entry.js'
import type { NodeVisibility } from './NodeVisibility.js'
import { onceForAsker } from './onceForAsker.js'
import type * as StoragePath from './StoragePath.js'
import type { Files } from './TreeNode.js'
import { type VisibleEntry, visibleEntries } from './visibleEntries.js'

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

interface Run extends Files {
  readonly files: Array<FileEntry>
}

/** So many files are written in a fraction of a millisecond. */
const mostFiles = 512

const takes = (run: Run | ShownDirectory | undefined, { inherited, visibility }: NodeVisibility): run is Run =>
  run?.type === 'files' &&
  run.files.length < mostFiles &&
  run.visibility.inherited === inherited &&
  run.visibility.visibility === visibility

const add = (parts: Array<Run | ShownDirectory>, { entry, path, visibility }: VisibleEntry): void => {
  const last = parts.at(-1)
  if (entry.type === 'dir') parts.push({ type: 'dir', path, visibility })
  else if (takes(last, visibility)) last.files.push(entry)
  else parts.push({ type: 'files', files: [entry], visibility })
}

export const shownIn = onceForAsker((view, directory, listing): Shown => {
  const entries = visibleEntries(view, directory, listing)
  const parts: Array<Run | ShownDirectory> = []
  for (const each of entries) add(parts, each)
  return { count: entries.length, parts }
})
