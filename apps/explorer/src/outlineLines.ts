import type { Directory } from './Directory.js'
import type { DirectoryTree } from './DirectoryTree.js'
import { isListed } from './visitor.js'

/** A row of the outline: a directory, or the button that loads more of it. */
export interface Line {
  readonly directory: Directory
  readonly level: number
  readonly position: number
  readonly siblings: number
  readonly loadsMore: boolean
}

export type DirectoryFilter = (directory: Directory) => boolean

export const showAll: DirectoryFilter = () => true
export const showVisitors: DirectoryFilter = ({ visibility }) => typeof visibility !== 'object' || isListed(visibility)

/** Returns the lines of all open directories, from top to bottom. */
export const linesOf = (tree: DirectoryTree, shows: DirectoryFilter): ReadonlyArray<Line> => {
  const lines: Array<Line> = []
  const add = (directory: Directory, level: number, position: number, siblings: number): void => {
    lines.push({ directory, level, position, siblings, loadsMore: false })
    const { isOpen, content } = directory
    if (!isOpen || content === undefined) return
    const shown = content.directories.filter(shows)
    for (const [index, child] of shown.entries()) add(child, level + 1, index + 1, shown.length)
    const end = shown.length + 1
    if (content.next?.after !== undefined)
      lines.push({ directory, level: level + 1, position: end, siblings: end, loadsMore: true })
  }
  add(tree.root, 1, 1, 1)
  return lines
}
