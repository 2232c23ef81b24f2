import { type Area, type ListEnv, listPages, StoragePath } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { ReadEnv } from './Command.js'

interface WalkEnv extends Pick<ReadEnv, 'showProgress'> {
  readonly storage: ListEnv
  readonly area: Area.Area
}

/** Takes a fraction of a second on a local disk. */
const maxNodes = 10_000

/**
 * Visits the nodes below a path, the nearest first, and enters each directory for which `visit` returns true. Returns false
 * when there are too many nodes, or the storage did not answer.
 */
export const walkNearest = async (
  { storage, area, showProgress }: WalkEnv,
  path: StoragePath.StoragePath,
  visit: (child: StoragePath.StoragePath) => boolean,
): Promise<boolean> => {
  const directories = [path]
  let visited = 0
  let isComplete = true
  for (const directory of directories) {
    const pages = await listPages(area, directory)(storage)()
    if (E.isLeft(pages)) {
      // Any other failure means that `path` is a file or does not exist.
      if (pages.left.error === 'external') isComplete = false
      continue
    }
    for (const { name, type } of pages.right.flatMap(({ entries }) => [...entries])) {
      visited += 1
      showProgress(`searching the area: ${visited} nodes`)
      if (visited > maxNodes) return false
      const child = O.toUndefined(StoragePath.child(directory, name))
      if (child !== undefined && visit(child) && type === 'dir') directories.push(child)
    }
  }
  return isComplete
}
