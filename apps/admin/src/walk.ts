import {
  type Area,
  type Entry,
  type Failure,
  type ListEnv,
  type Listing,
  listPage,
  Name,
  StoragePath,
} from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { ReadEnv } from './Command.js'
import { withCount } from './Report.js'

/** Takes a fraction of a second on a local disk. */
export const maxNodes = 10_000

/** Yields a directory page by page. A caller who leaves early spares the store the rest of a large directory. */
export async function* pagesOf(
  storage: ListEnv,
  area: Area.Area,
  directory: StoragePath.StoragePath,
): AsyncGenerator<E.Either<Failure.OfStorage, ReadonlyArray<Entry.Entry>>, void, undefined> {
  let previous: Listing.Listing | undefined
  do {
    const after: string | undefined = previous?.next
    const page: E.Either<Failure.OfStorage, Listing.Listing> = await listPage(area, directory, { after, previous })(
      storage,
    )()
    if (E.isLeft(page)) return yield page
    const entries = [...page.right.entries]
    yield E.right(after === undefined ? entries : entries.filter(({ name }) => Name.byBytes.compare(name, after) > 0))
    previous = page.right
  } while (previous.next !== undefined)
}

interface Walk {
  readonly storage: ListEnv
  readonly area: Area.Area
  /** Decides whether to walk on into this node, past it, or no further at all. */
  readonly visit: (path: StoragePath.StoragePath) => 'enter' | 'skip' | 'stop'
  readonly onUnreadable: (directory: StoragePath.StoragePath, failure: Failure.External) => unknown
}

/** Visits the nodes below a path, the nearest first. */
export const walkNearest = async (
  start: StoragePath.StoragePath,
  { storage, area, visit, onUnreadable }: Walk,
): Promise<void> => {
  const directories = [start]
  for (const directory of directories)
    for await (const page of pagesOf(storage, area, directory)) {
      // Any other failure means that the path is a file or does not exist.
      if (E.isLeft(page) && page.left.error === 'external') onUnreadable(directory, page.left)
      for (const { name, type } of E.isLeft(page) ? [] : page.right) {
        const child = O.toUndefined(StoragePath.child(directory, name))
        if (child === undefined) continue
        const next = visit(child)
        if (next === 'stop') return
        if (next === 'enter' && type === 'dir') directories.push(child)
      }
    }
}

/**
 * Visits at most {@link maxNodes} nodes below a path, the nearest first, and enters those for which `visit` returns true. Returns
 * false if there are more, or the storage did not answer.
 */
export const searchArea = async (
  { storage, showProgress }: Pick<ReadEnv, 'storage' | 'showProgress'>,
  area: Area.Area,
  start: StoragePath.StoragePath,
  visit: (path: StoragePath.StoragePath) => boolean,
): Promise<boolean> => {
  let count = 0
  let isComplete = true
  await walkNearest(start, {
    storage,
    area,
    visit: (path) => {
      count += 1
      showProgress(`searching the area: ${withCount(count, 'item')}`)
      isComplete &&= count <= maxNodes
      if (count > maxNodes) return 'stop'
      return visit(path) ? 'enter' : 'skip'
    },
    onUnreadable: () => {
      isComplete = false
    },
  })
  return isComplete
}
