import type { Tree } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'

// Directories that are read ahead stay in memory until they are written. This number fills the batches of the readers.
const nodesAhead = 16_384
const maxAhead = 128
const firstAhead = 4
/** Limit on the children that wait for the writer, including the files between the directories. */
const maxQueued = 256

type Child = Tree.Child | undefined

/**
 * Yields the same children, with the next directories already being read, more of them when directories are small. Refills at
 * half, because a batch of directories costs less than the same directories one by one.
 */
export function* readAhead(children: Iterable<Child>): Generator<Child, void> {
  const iterator = children[Symbol.iterator]()
  const queue: Array<Child> = []
  let reading = 0
  let largest = 0

  /** Measures a directory once it is read. The writer handles a rejection when it reaches the directory. */
  const measure = async (reading: ReturnType<Tree.Directory['children']>): Promise<void> => {
    const read = await reading.catch(() => undefined)
    if (read !== undefined && E.isRight(read) && read.right.is === 'listed')
      largest = Math.max(1, largest, read.right.maxChildren)
  }

  const begin = (directory: Tree.Directory): Tree.Directory => {
    const found = directory.children()
    void measure(found)
    return { ...directory, children: () => found }
  }

  const fill = (wanted: number): void => {
    while (reading < wanted && queue.length < maxQueued) {
      const { done, value: child } = iterator.next()
      if (done === true) return
      if (child?.type === 'dir') reading += 1
      queue.push(child?.type === 'dir' ? begin(child) : child)
    }
  }

  for (let next = iterator.next(); next.done !== true; next = iterator.next()) {
    // The queue takes a twentieth of the time of a tree, so children before the next directory pass without it.
    if (next.value?.type !== 'dir') {
      yield next.value
      continue
    }
    reading = 1
    queue.push(begin(next.value))
    while (queue.length > 0) {
      const wanted = largest === 0 ? firstAhead : Math.min(maxAhead, Math.max(1, Math.floor(nodesAhead / largest)))
      if (reading <= wanted / 2) fill(wanted)
      const child = queue.shift()
      if (child?.type === 'dir') reading -= 1
      yield child
    }
  }
}
