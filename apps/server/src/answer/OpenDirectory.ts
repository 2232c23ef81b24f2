import type { Batch, Tree } from '@canopy/domain'

/** A directory that is being written. */
export interface OpenDirectory {
  /** Those of its children that have been unfolded and are still to be written, or have been just now. */
  children: ReadonlyArray<Tree.Child>
  /** What unfolds those that follow. */
  rest: (() => Batch.Batch<Tree.Child, void>) | undefined
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

const restOf = (batch: Batch.Batch<Tree.Child, void>): OpenDirectory['rest'] =>
  batch.is === 'some' ? batch.rest : undefined

export const openDirectory = (children: Batch.Batch<Tree.Child, void>): OpenDirectory => ({
  children: children.items,
  rest: restOf(children),
  next: 0,
  separator: '',
  ahead: 0,
  begun: 0,
  largest: 0,
})

const wanted = ({ largest }: OpenDirectory): number =>
  largest === 0 ? firstAhead : Math.min(mostAhead, Math.max(1, Math.floor(nodesAhead / largest)))

const unfoldMore = (directory: OpenDirectory, rest: () => Batch.Batch<Tree.Child, void>): void => {
  const batch = rest()
  directory.children = [...directory.children.slice(directory.next), ...batch.items]
  directory.rest = restOf(batch)
  directory.ahead = Math.max(0, directory.ahead - directory.next)
  directory.next = 0
}

/** The child to be written next, or `undefined` after the last one; unfolds no more than is needed to know. */
export const nextChild = (directory: OpenDirectory): Tree.Child | undefined => {
  while (directory.next >= directory.children.length && directory.rest !== undefined)
    unfoldMore(directory, directory.rest)
  return directory.children[directory.next]
}

/**
 * Begins to read the next of its directories, and a few that follow: many at once when half of them are used up, because
 * what is asked for together costs less.
 */
export const readAhead = (directory: OpenDirectory): void => {
  const most = wanted(directory)
  if (directory.begun > most / 2) return
  if (directory.rest !== undefined && directory.children.length - directory.next < mostAhead)
    unfoldMore(directory, directory.rest)
  while (directory.begun < most && directory.ahead < directory.children.length) {
    const child = directory.children[directory.ahead]
    directory.ahead += 1
    if (child?.type !== 'dir') continue
    child.begin?.()
    directory.begun += 1
  }
}

/** One child is done with; of a directory, what it was expanded to. */
export const tookNext = (directory: OpenDirectory, expansion?: Tree.Decided | Tree.Vanished): void => {
  directory.next += 1
  if (expansion?.is !== 'vanished') directory.separator = ','
  if (expansion !== undefined) directory.begun -= 1
  if (expansion?.is === 'expanded') directory.largest = Math.max(directory.largest, expansion.count)
}
