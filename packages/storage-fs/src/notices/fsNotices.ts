import { type FSWatcher, watch as watchFs } from 'node:fs'
import type { Area, Listing, StoragePath } from '@canopy/domain'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import { LRUCache } from 'lru-cache'
import type { HeldNode, HoldNode } from '../HeldNode.js'
import { holdInArea } from '../holdInArea.js'
import { holdNode } from '../holdNode.js'
import { nameOfBytes } from '../nameOfBytes.js'
import { hasOtherNames } from '../otherNames.js'
import type { StorageRoot } from '../StorageRoot.js'
import { type AreaRoot, areaRoots } from './areaRoots.js'
import { changesAreLocal } from './changesAreLocal.js'
import { countingFloods, queueLength } from './floods.js'
import { lingering } from './lingering.js'

type Changed = (name: O.Option<string>) => void

/** Notices of changes in the directories of the local file system, by inotify. */
export interface FsNotices {
  /** `none` where notices cannot be had: on network file systems, and when the system has no watch left. */
  readonly watch: (area: Area.Area, path: StoragePath.StoragePath, changed: Changed) => O.Option<() => void>
  /** What stands at the root of an area now; `none` when nothing does, no directory, or not the mount that should. */
  readonly root: (area: Area.Area) => O.Option<AreaRoot>
  /** False when a file in it has another name elsewhere: who writes it by that name gives no notice here. */
  readonly covers: (listing: Listing.Listing) => boolean
}

// What happens to the directory itself, such as another mode, is told by the last name of the path by which this process
// watched it first. Watched like this, that is no name of an entry, and always the same.
const itself = '.'

const nameOf = (bytes: Buffer | null): O.Option<string> => {
  const name = bytes === null ? itself : bytes.toString('latin1')
  return name === itself ? O.none : nameOfBytes(name)
}

const watchHeld = ({ stats, reachedBy, close }: HeldNode, noticed: Changed): O.Option<FSWatcher> => {
  try {
    if (!stats().isDirectory() || !changesAreLocal(reachedBy)) return O.none
    const path = `${reachedBy}/${itself}`
    return O.some(watchFs(path, { encoding: 'buffer', persistent: false }, (_, bytes) => noticed(nameOf(bytes))))
  } catch {
    // No watch left, or the directory is gone: it is read anew for each request then.
    return O.none
  } finally {
    close()
  }
}

/** One directory that is written to faster than Node hears would keep the event loop: it hears until nothing is left. */
const mostOfOne = queueLength / 8
const unwatchedMs = 10_000

/**
 * Notices of the areas in a storage.
 *
 * @param root against which the location of an area is resolved
 * @param hold how a directory is held until it is watched; where nothing is said, in the way that this system has
 * @param givenUp keeps watches that are given up for a while, as they are soon begun again
 * @param most notices of one directory in a round of the event loop: with so many, it is not watched for 10 seconds
 */
export const fsNotices = (
  root: StorageRoot,
  hold: HoldNode = holdNode,
  givenUp = lingering(),
  most = mostOfOne,
): FsNotices => {
  const holdIn = holdInArea(root, hold)
  const everyone = new Set<Changed>()
  /** Read anew for each request for a while. */
  const loud = new LRUCache<string, true>({ max: 1_000, ttl: unwatchedMs })
  const flooded = (): void => {
    for (const changed of everyone) changed(O.none)
  }
  const count = countingFloods(flooded)

  const watch: FsNotices['watch'] = (area, path, changed) => {
    const key = `${area.location}\0${path}`
    if (loud.has(key)) return O.none
    const open: { watcher?: FSWatcher } = {}
    // What is queued for it is not told any more, nor counted: it may be all that was lost.
    const countOwn = countingFloods(() => {
      loud.set(key, true)
      flooded()
      open.watcher?.close()
    }, most)
    const tell: Changed = (name) => changed(name)
    const noticed: Changed = (name) => {
      count()
      countOwn()
      if (everyone.has(tell)) tell(name)
    }
    return pipe(
      O.fromEither(holdIn(area, path)),
      O.flatMap((held) => watchHeld(held, noticed)),
      O.map((watcher) => {
        open.watcher = watcher
        everyone.add(tell)
        givenUp.endNow(key)
        watcher.on('error', () => changed(O.none))
        return () => {
          everyone.delete(tell)
          givenUp.endLater(key, () => watcher.close())
        }
      }),
    )
  }

  return {
    watch,
    root: areaRoots(root),
    covers: (listing) => !hasOtherNames(listing),
  }
}
