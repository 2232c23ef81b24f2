import type { Tree } from '@canopy/domain'

/** A directory that is being written. */
export interface OpenDirectory {
  readonly children: ReadonlyArray<Tree.Child>
  next: number
  separator: '' | ','
  /** The first child that has not been looked at for reading ahead. */
  ahead: number
  /** How many of its directories are being read before they are written. */
  begun: number
  /** The most nodes that one of its directories was seen to hold; 0 while none was seen. */
  largest: number
}

/** What is read ahead stays in memory until it is written: so many nodes, and so many directories, are enough. */
const nodesAhead = 16384
const mostAhead = 64
const firstAhead = 4

export const openDirectory = (children: ReadonlyArray<Tree.Child>): OpenDirectory => ({
  children,
  next: 0,
  separator: '',
  ahead: 0,
  begun: 0,
  largest: 0,
})

const wanted = ({ largest }: OpenDirectory): number =>
  largest === 0 ? firstAhead : Math.min(mostAhead, Math.max(1, Math.floor(nodesAhead / largest)))

const nodesIn = (children: ReadonlyArray<Tree.Child>): number =>
  children.reduce((nodes, child) => nodes + (child.type === 'files' ? child.files.length : 1), 0)

/**
 * Begins to read the next of its directories, and a few that follow: many at once when half of them are used up, because
 * what is asked for together costs less.
 */
export const readAhead = (directory: OpenDirectory): void => {
  const most = wanted(directory)
  if (directory.begun > most / 2) return
  while (directory.begun < most && directory.ahead < directory.children.length) {
    const child = directory.children[directory.ahead]
    directory.ahead += 1
    if (child?.type !== 'dir') continue
    child.begin?.()
    directory.begun += 1
  }
}

/** One child is done with; of a directory, what it was expanded to. */
export const tookNext = (directory: OpenDirectory, expansion?: Tree.Expansion): void => {
  directory.next += 1
  if (expansion?.is !== 'vanished') directory.separator = ','
  if (expansion !== undefined) directory.begun -= 1
  if (expansion?.is === 'expanded') directory.largest = Math.max(directory.largest, nodesIn(expansion.children))
}
