import { type FSWatcher, readFileSync, realpathSync, watch as watchFs } from 'node:fs'
import { type Area, StoragePath } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { constVoid, pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import { LRUCache } from 'lru-cache'
import { type AreaRoot, areaDirectory, areaRootAt, foreignMountOf, pinInArea } from '../resolve/areas.js'
import { kindAt } from '../resolve/fileSystems.js'
import { type OpenPinned, openPinned, type Pinned } from '../resolve/openPinned.js'
import type { StorageRoot } from '../StorageRoot.js'

/** Called with the name of the entry that changed; without one when it is not known, or is the directory itself. */
export type Changed = (name?: string) => void

/** Events of changes in the directories of the local file system, by inotify. */
export interface ChangeEvents {
  /**
   * Begins to watch one directory. After anything directly in it has changed (an entry made, removed, renamed, written or
   * touched) `changed` is called, no later than when the event loop has polled once more. `undefined` where no events can be
   * had: on network file systems, and when the system has no watch left. The result ends the watching.
   */
  readonly watch: (area: Area.Area, path: StoragePath.StoragePath, changed: Changed) => (() => void) | undefined
  /**
   * Each directory on the way to the root of an area, from `/` down, with the name in it that leads on; by the real path;
   * `undefined` where that cannot be known.
   */
  readonly above: (area: Area.Area) => ReadonlyArray<{ readonly directory: string; readonly name: string }> | undefined
  /**
   * The same for a directory above an area. Where what is in it cannot come back as another directory of the same identity, it
   * may stay unwatched: not everything above an area can be read.
   */
  readonly watchAbove: (directory: string, changed: Changed) => (() => void) | undefined
  /** The root of an area now; `undefined` when there is none, no directory, or not the mount that should be. */
  readonly root: (area: Area.Area) => AreaRoot | undefined
}

/** How many events the kernel queues before it drops what follows, of which Node reports nothing. */
const queueLength = pipe(
  O.tryCatch(() => Number(readFileSync('/proc/sys/fs/inotify/max_queued_events', 'utf8'))),
  O.filter((length) => length > 0),
  O.getOrElse(() => 16_384),
)

/**
 * Counts the events of each tick of the event loop. As many as the kernel's queue holds mean that some may have been lost:
 * then `flooded` is called. Half of them count as all, to be safe.
 */
export const countingFloods = (flooded: () => void, most = queueLength / 2): (() => void) => {
  const limit = Math.max(1, Math.floor(most))
  let count = 0
  return () => {
    if (count === 0) {
      setImmediate(() => {
        count = 0
      })
    }
    count += 1
    if (count === limit) flooded()
  }
}

/** To end a watch takes some 40 microseconds. */
const endsInATick = 64

/** Ends watches, a few in each tick of the event loop, and none before all that is queued for it has been read and counted. */
export const ending = (): ((end: () => void) => void) => {
  const ends: Array<() => void> = []
  const endSome = (): void => {
    for (const end of ends.splice(0, endsInATick)) end()
    if (ends.length > 0) setImmediate(endSome)
  }
  return (end) => {
    if (ends.push(end) === 1) setImmediate(endSome)
  }
}

// What happens to the directory itself, such as another mode, is reported by the last name of the path by which this process
// watched it first. Watched like this, that is no name of an entry, and always the same.
const itself = '.'

/** `undefined` where no watch is left, where there are no events, or where the directory is gone: it is read for each request then. */
const watchHeld = (held: Pinned, onEvent: Changed): FSWatcher | undefined => {
  if (E.isLeft(held)) return undefined
  const { stats, fdPath, close } = held.right
  try {
    if (!stats().isDirectory() || kindAt(fdPath) === undefined) return undefined
    return watchFs(`${fdPath}/${itself}`, { persistent: false }, (_, name) =>
      name === itself || name === null ? onEvent() : onEvent(name),
    )
  } catch {
    return undefined
  } finally {
    close()
  }
}

const comesBackAsItself = (directory: string): boolean => {
  try {
    return kindAt(directory)?.rollsBack === true
  } catch {
    return true
  }
}

/** The real path of an area's directory, step by step; `undefined` where it cannot be known. */
const stepsTo = (directory: string): ReturnType<ChangeEvents['above']> => {
  try {
    const names = realpathSync(directory).split('/').slice(1)
    return names.flatMap((name, at) => (name === '' ? [] : [{ directory: `/${names.slice(0, at).join('/')}`, name }]))
  } catch {
    return undefined
  }
}

/** One directory that is written to faster than Node reads would keep the event loop: it reads until nothing is left. */
const mostOfOne = queueLength / 8
const unwatchedMs = 10_000

/**
 * Events of the areas in a storage.
 *
 * @param root against which the location of an area is resolved
 * @param hold how a directory is held until it is watched; by default in the way that this system has
 * @param most events of one directory in a tick of the event loop: with as many, it is not watched for 10 seconds
 */
export const changeEvents = (root: StorageRoot, hold: OpenPinned = openPinned, most = mostOfOne): ChangeEvents => {
  const holdIn = pinInArea(root, hold)
  const rootAt = areaRootAt(root)
  const foreignMount = foreignMountOf(root)
  /** What may hang is not touched here, and has no events. */
  const isForeign = (area: Area.Area, path: StoragePath.StoragePath): boolean => foreignMount(area, path) !== undefined
  const everyone = new Set<Changed>()
  const endLater = ending()
  /** Read for each request for a while. */
  const loud = new LRUCache<string, true>({ max: 1_000, ttl: unwatchedMs })
  const flooded = (): void => {
    for (const changed of everyone) changed()
  }
  const count = countingFloods(flooded)

  const watchAt = (key: string, hold: () => Pinned, changed: Changed): (() => void) | undefined => {
    if (loud.has(key)) return undefined
    // Others may watch with the same function.
    const report: Changed = (name) => changed(name)
    const countOwn = countingFloods(() => {
      loud.set(key, true)
      flooded()
      // What is queued for it is neither reported nor counted any more: it may be all that was lost.
      watcher?.close()
    }, most)
    const watcher = watchHeld(hold(), (name) => {
      count()
      countOwn()
      if (everyone.has(report)) report(name)
    })
    if (watcher === undefined) return undefined
    everyone.add(report)
    watcher.on('error', () => report())
    return () => {
      everyone.delete(report)
      endLater(() => watcher.close())
    }
  }

  return {
    watch: (area, path, changed) =>
      isForeign(area, path) ? undefined : watchAt(`${area.location}\0${path}`, () => holdIn(area, path), changed),
    above: ({ location }) => stepsTo(areaDirectory(root, location)),
    watchAbove: (directory, changed) => {
      const path = O.toUndefined(StoragePath.fromString(directory))
      // Below `/`, so that no link leads to it.
      const end = path && watchAt(directory, () => hold('/', path), changed)
      return end ?? (comesBackAsItself(directory) ? undefined : constVoid)
    },
    root: (area) => (isForeign(area, StoragePath.root) ? undefined : rootAt(area)),
  }
}
