import { type FSWatcher, readFileSync, realpathSync, watch as watchFs } from 'node:fs'
import { type Area, StoragePath } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { constVoid, pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import { LRUCache } from 'lru-cache'
import { type AreaRoot, areaDirectory, areaRootAt, pinInArea } from '../resolve/areas.js'
import { errnoOf } from '../resolve/errno.js'
import { kindAt } from '../resolve/fileSystems.js'
import { type OpenPinned, openPinned, type Pinned } from '../resolve/openPinned.js'
import type { StorageRoot } from '../StorageRoot.js'

/** Called with the name of the changed entry; without a name if it is unknown, or if the directory itself changed. */
export type Changed = (name?: string) => void

/** Events of changes in the directories of the local file system, by inotify. */
export interface ChangeEvents {
  /**
   * Begins to watch one directory. After a change directly in it (an entry created, removed, renamed, written or touched), it
   * calls `changed` before the event loop's next poll is over. Returns a function that ends the watch; `undefined` where there
   * are no events: on network file systems, and when the system has no watch left.
   */
  readonly watch: (area: Area.Area, path: StoragePath.StoragePath, changed: Changed) => (() => void) | undefined
  /**
   * Returns each directory on the real path to the root of an area, from `/` down, with the name in it that leads on;
   * `undefined` if the path is unknown.
   */
  readonly above: (area: Area.Area) => ReadonlyArray<{ readonly directory: string; readonly name: string }> | undefined
  /**
   * Watches a directory above an area, like `watch`. `not needed`: the directory cannot be watched, but a replacement changes
   * the root's identity. `undefined`: it cannot be watched, and on btrfs a rollback keeps that identity, so nothing below may be
   * cached.
   */
  readonly watchAbove: (directory: string, changed: Changed) => (() => void) | 'not needed' | undefined
  /** See `areaRootAt`. */
  readonly root: (area: Area.Area) => AreaRoot | undefined
}

/** The kernel queues this number of events and drops the rest, without a report from Node. */
const queueLength = pipe(
  O.tryCatch(() => Number(readFileSync('/proc/sys/fs/inotify/max_queued_events', 'utf8'))),
  O.filter((length) => length > 0),
  O.getOrElse(() => 16_384),
)

/** Node reads events until the kernel's queue is empty, so a fast writer would block the event loop. */
const maxEventsOfDirectory = queueLength / 8
const unwatchedMs = 10_000

export interface ChangeEventsOptions {
  /** Pins a directory until it is watched; by default in the safest way on this system. */
  readonly pin?: OpenPinned
  /** A directory with this number of events in a tick is not watched for 10 seconds. */
  readonly maxEvents?: number
  /** Called each time a directory cannot be watched because the system has no watch left. */
  readonly onNoWatchLeft?: () => void
}

/** Creates the events for the areas of a storage, whose locations are resolved against `root`. */
export const changeEvents = (root: StorageRoot, options: ChangeEventsOptions = {}): ChangeEvents =>
  new Inotify(root, options)

class Inotify implements ChangeEvents {
  readonly root: ChangeEvents['root']
  readonly #root: StorageRoot
  readonly #options: Required<ChangeEventsOptions>
  readonly #pinInArea: ReturnType<typeof pinInArea>
  readonly #listeners = new Set<Changed>()
  readonly #endLater = ending()
  /** Directories that are not watched for a while, because they had too many events. */
  readonly #paused = new LRUCache<string, true>({ max: 1_000, ttl: unwatchedMs })
  readonly #countAll = countingFloods(() => this.#reportToAll())

  constructor(
    root: StorageRoot,
    { pin = openPinned, maxEvents = maxEventsOfDirectory, onNoWatchLeft = constVoid }: ChangeEventsOptions,
  ) {
    this.#root = root
    this.#options = { pin, maxEvents, onNoWatchLeft }
    this.#pinInArea = pinInArea(root, pin)
    this.root = areaRootAt(root)
  }

  readonly watch: ChangeEvents['watch'] = (area, path, changed) =>
    this.#watchAt(`${area.location}\0${path}`, () => this.#pinInArea(area, path), changed)

  readonly above: ChangeEvents['above'] = ({ location }) => stepsTo(areaDirectory(this.#root, location))

  readonly watchAbove: ChangeEvents['watchAbove'] = (directory, changed) => {
    const path = O.toUndefined(StoragePath.fromString(directory))
    // Resolved below `/`, so that no link leads to it.
    const end = path && this.#watchAt(directory, () => this.#options.pin('/', path), changed)
    return end ?? (mayRollBack(directory) ? undefined : 'not needed')
  }

  #watchAt(key: string, pin: () => Pinned, changed: Changed): (() => void) | undefined {
    if (this.#paused.has(key)) return undefined
    // Wrapped, so that the set tells the watches apart even if they share `changed`.
    const report: Changed = (name) => changed(name)
    const countInDirectory = countingFloods(() => {
      this.#paused.set(key, true)
      this.#reportToAll()
      // Closed at once, so that its queued events, perhaps the whole queue, are not read.
      watcher?.close()
    }, this.#options.maxEvents)
    const onEvent: Changed = (name) => {
      this.#countAll()
      countInDirectory()
      if (this.#listeners.has(report)) report(name)
    }
    const watcher = watchPinned(pin(), onEvent, this.#options.onNoWatchLeft)
    if (watcher === undefined) return undefined
    this.#listeners.add(report)
    watcher.on('error', () => report())
    return () => {
      this.#listeners.delete(report)
      this.#endLater(() => watcher.close())
    }
  }

  /** Reports a change to all watches, because after lost events anything may have changed. */
  #reportToAll(): void {
    for (const changed of this.#listeners) changed()
  }
}

/** Counts the events of each tick. Calls `flooded` at `max`: a full queue of the kernel would have dropped events. */
const countingFloods = (flooded: () => void, max = queueLength / 2): (() => void) => {
  const limit = Math.max(1, Math.floor(max))
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

/** Ending a watch takes some 40 microseconds. */
const maxEndsOfTick = 64

/** Ends watches, a few in each tick, after their queued events have been read and counted. */
export const ending = (): ((end: () => void) => void) => {
  const ends: Array<() => void> = []
  const endSome = (): void => {
    for (const end of ends.splice(0, maxEndsOfTick)) end()
    if (ends.length > 0) setImmediate(endSome)
  }
  return (end) => {
    if (ends.push(end) === 1) setImmediate(endSome)
  }
}

// inotify reports a change of the directory itself, such as a new mode, by the last name of the watched path. That is always this
// one, which no entry has.
const itself = '.'

/** Watches a directory. `undefined` without events, without a free watch, or if it is gone: then each request reads it. */
const watchPinned = (pinned: Pinned, onEvent: Changed, onNoWatchLeft: () => void): FSWatcher | undefined => {
  if (E.isLeft(pinned)) return undefined
  const { stats, fdPath, close } = pinned.right
  try {
    if (!stats().isDirectory() || kindAt(fdPath) === undefined) return undefined
    return watchFs(`${fdPath}/${itself}`, { persistent: false }, (_, name) =>
      name === itself || name === null ? onEvent() : onEvent(name),
    )
  } catch (thrown) {
    if (errnoOf(thrown) === 'ENOSPC') onNoWatchLeft()
    return undefined
  } finally {
    close()
  }
}

/** Reports whether a directory may be rolled back to an older one with the same identity. */
const mayRollBack = (directory: string): boolean => {
  try {
    return kindAt(directory)?.rollsBack === true
  } catch {
    return true
  }
}

/** Returns the real path of an area's directory, step by step; `undefined` if it is unknown. */
const stepsTo = (directory: string): ReturnType<ChangeEvents['above']> => {
  try {
    const names = realpathSync(directory).split('/').slice(1)
    return names.flatMap((name, index) =>
      name === '' ? [] : [{ directory: `/${names.slice(0, index).join('/')}`, name }],
    )
  } catch {
    return undefined
  }
}
