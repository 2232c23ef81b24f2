import type { Failure, NodeVisibility } from '@canopy/client'
import type { Level } from './level.js'
import type { ReadContent } from './treeReader.js'

/** A directory of the outline. Mutable: it loads its content on demand. */
export interface Directory {
  readonly name: string
  readonly parent: Directory | undefined
  readonly visibility: NodeVisibility
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
  /** The last name of the loaded entries, if more follow. */
  readonly after: string | undefined
}

export const newDirectory = (name: string, visibility: NodeVisibility, parent?: Directory): Directory => ({
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

export const addLevel = (directory: Directory, { directories, files, bytes, after }: Level): void => {
  const { content } = directory
  const children = directories.map(({ name, visibility }) => newDirectory(name, visibility, directory))
  directory.content = {
    directories: [...(content?.directories ?? []), ...children],
    files: (content?.files ?? 0) + files,
    bytes: (content?.bytes ?? 0n) + bytes,
    after,
  }
}

/** Replaces the content by that of a tree response. */
export const setSubtree = (directory: Directory, content: ReadContent | undefined): void => {
  directory.isOpen = content !== undefined
  directory.failure = undefined
  directory.content = content && {
    files: content.files,
    bytes: content.bytes,
    after: undefined,
    directories: content.directories.map((read) => {
      const child = newDirectory(read.name, read.visibility, directory)
      setSubtree(child, read.content)
      return child
    }),
  }
}

/** Reports whether all entries of a directory are loaded. */
export const isLoaded = ({ content }: Directory): boolean => content !== undefined && content.after === undefined

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
