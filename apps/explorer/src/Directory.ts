import type { DirectoryItem, Failure } from '@canopy/client'
import type { SeenVisibility } from './knownVisibilities.js'

/** A directory of the outline. Mutable: it loads its content on demand. */
export interface Directory {
  readonly name: string
  readonly parent: Directory | undefined
  visibility: SeenVisibility
  isOpen: boolean
  /** `undefined` until loaded. */
  content: DirectoryContent | undefined
  /** The pending request for content. */
  loading: Promise<void> | undefined
  /** The failure of the last request. */
  failure: Failure | undefined
}

export interface DirectoryContent {
  readonly directories: ReadonlyArray<Directory>
  readonly files: number
  /** For the files directly in the directory. */
  readonly bytes: bigint
  /** Where loading continues: after a name, or at the start if only the way to a place is known. */
  readonly next: { readonly after: string | undefined } | undefined
}

export const newDirectory = (name: string, visibility: SeenVisibility, parent?: Directory): Directory => ({
  name,
  parent,
  visibility,
  isOpen: false,
  content: undefined,
  loading: undefined,
  failure: undefined,
})

export const childNamed = (directory: Directory, name: string): Directory | undefined =>
  directory.content?.directories.find((child) => child.name === name)

/** Adds a page of entries. A child that is already there, because a place below it was opened, keeps its state. */
export const addPage = (directory: Directory, items: ReadonlyArray<DirectoryItem>, isLast: boolean): void => {
  const { content } = directory
  const added = items.flatMap(({ is_file, name, visibility }) => {
    if (is_file) return []
    const child = childNamed(directory, name) ?? newDirectory(name, visibility, directory)
    child.visibility = visibility
    return [child]
  })
  const kept = (content?.directories ?? []).filter((child) => !added.includes(child))
  directory.content = {
    directories: [...kept, ...added],
    files: (content?.files ?? 0) + items.length - added.length,
    bytes: items.reduce((sum, { size }) => sum + size, content?.bytes ?? 0n),
    next: isLast ? undefined : { after: items.at(-1)?.name },
  }
}

/** Adds a child without its siblings: it is on the way to a place, and may be hidden. */
export const addChild = (directory: Directory, name: string, visibility: SeenVisibility): Directory => {
  const child = newDirectory(name, visibility, directory)
  const content = directory.content ?? { directories: [], files: 0, bytes: 0n, next: { after: undefined } }
  directory.content = { ...content, directories: [child, ...content.directories] }
  return child
}

/** Reports whether all entries of a directory are loaded. */
export const isLoaded = ({ content }: Directory): boolean => content !== undefined && content.next === undefined

/** Reports whether the siblings of a child are missing. */
export const isOnlyWay = ({ content }: Directory): boolean =>
  content?.next !== undefined && content.next.after === undefined

/** Reports whether the whole subtree is loaded. */
export const isExpanded = (directory: Directory): boolean =>
  isLoaded(directory) && (directory.content?.directories ?? []).every(isExpanded)

export interface SubtreeSize {
  readonly bytes: bigint
  /** Whether the sum covers the whole subtree. */
  readonly isComplete: boolean
}

/** Returns the bytes of all loaded files of a subtree. */
export const sizeOf = (directory: Directory): SubtreeSize => {
  const { content } = directory
  let bytes = content?.bytes ?? 0n
  let isComplete = isLoaded(directory)
  for (const child of content?.directories ?? []) {
    const size = sizeOf(child)
    bytes += size.bytes
    isComplete &&= size.isComplete
  }
  return { bytes, isComplete }
}
