// What a cached listing depends on, and the watches that say when it is old.
import { type Area, type Entry, type Listing, type NodeAtEnv, StoragePath } from '@canopy/domain'
import { timeSlices, yieldToEventLoop } from '@canopy/scheduling'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Changed, ChangeEvents } from './changeEvents.js'

/** A directory below the root of an area. Below another root everything is another directory. */
export interface Place {
  readonly area: Area.Area
  /** The identity of the root. */
  readonly root: string
  readonly path: StoragePath.StoragePath
}

/** An area that must be a mount point shares nothing with one that need not be: only the first is external once unmounted. */
export const keyOf = ({ area: { isMountPoint, location }, root, path }: Place): string =>
  `${isMountPoint === true}\0${location}\0${root}\0${path}`

/** Whether the root of the area is still the one that a place lies below. */
export const isCurrent = (events: Pick<ChangeEvents, 'root'>, { area, root }: Place): boolean =>
  events.root(area)?.identity === root

/** One reading of a directory, from before its first byte until it is dropped. */
export interface Reading {
  readonly place: Place
  readonly key: string
  /** Set for good by the first change. */
  stale: boolean
  /** The directories in it: the listing holds the time of each. */
  directories: ReadonlyArray<Entry.Entry>
  /** The directories in which every entry matters to it. */
  readonly watches: Array<Watch>
}

/** The directory above a watched one, and the name that leads down to it. */
interface Step {
  readonly above: Watch
  readonly name: string
}

/** A directory that is watched: once, however many readings depend on it, and as long as one does. */
interface Watch {
  readonly key: string
  /** `undefined` at `/`. */
  readonly step: Step | undefined
  readonly readings: Set<Reading>
  /** The watched directories in it: what replaces one replaces all that was read below it. One may be part of several areas. */
  readonly below: Map<string, ReadonlyArray<Watch>>
  stop: () => void
}

export interface Dependencies {
  /**
   * Makes a reading depend on every entry of a directory, and on each step of the path that leads there, from `/` down. False
   * when one of them cannot be watched.
   */
  readonly depend: (reading: Reading, path: StoragePath.StoragePath) => boolean
  /** Ends all that a reading depends on; a directory on which none depends is no longer watched. */
  readonly release: (reading: Reading) => void
  readonly isWatched: (place: Place) => boolean
  /** How many directories are watched. */
  readonly count: () => number
}

export const dependencies = (events: ChangeEvents, changed: (reading: Reading) => void): Dependencies => {
  const watches = new Map<string, Watch>()

  const readingsIn = ({ readings, below }: Watch, name?: string): ReadonlyArray<Reading> => {
    const replaced = name === undefined ? [...below.values()] : [below.get(name) ?? []]
    return [...readings, ...replaced.flat().flatMap((watch) => readingsIn(watch))]
  }

  const endUnused = (watch: Watch): void => {
    const { key, step, readings, below, stop } = watch
    if (readings.size > 0 || below.size > 0) return
    stop()
    watches.delete(key)
    if (step === undefined) return
    const beside = (step.above.below.get(step.name) ?? []).filter((other) => other !== watch)
    if (beside.length > 0) step.above.below.set(step.name, beside)
    else step.above.below.delete(step.name)
    endUnused(step.above)
  }

  const begin = (
    key: string,
    step: Step | undefined,
    watch: (changed: Changed) => ReturnType<ChangeEvents['watch']>,
  ): Watch | undefined => {
    const begun: Watch = { key, step, readings: new Set(), below: new Map(), stop: () => undefined }
    const stop = watch((name) => {
      for (const reading of readingsIn(begun, name)) changed(reading)
    })
    if (stop === undefined) {
      if (step !== undefined) endUnused(step.above)
      return undefined
    }
    begun.stop = stop
    watches.set(key, begun)
    if (step !== undefined) {
      const beside = step.above.below.get(step.name) ?? []
      step.above.below.set(step.name, [...beside, begun])
    }
    return begun
  }

  /** The step to the root of an area, by its real path: what replaces a link on the way there changes the root's identity. */
  const stepToRoot = (area: Area.Area): O.Option<Step | undefined> => {
    let step: Step | undefined
    const steps = events.above(area)
    if (steps === undefined) return O.none
    for (const { directory, name } of steps) {
      const known = watches.get(directory)
      const above = known ?? begin(directory, step, (changed) => events.watchAbove(directory, changed))
      if (above === undefined) return O.none
      step = { above, name }
    }
    return O.some(step)
  }

  /** `undefined` at `/`; `none` where it cannot be watched. */
  const stepTo = (place: Place): O.Option<Step | undefined> =>
    pipe(
      StoragePath.parent(place.path),
      O.match(
        () => stepToRoot(place.area),
        (path) => {
          const above = watchAt({ ...place, path })
          return above === undefined ? O.none : O.some({ above, name: StoragePath.name(place.path) })
        },
      ),
    )

  /** What leads to a directory is watched before it: a change in between is seen. */
  const watchAt = (place: Place): Watch | undefined => {
    const key = keyOf(place)
    const known = watches.get(key)
    if (known !== undefined) return known
    const step = stepTo(place)
    if (O.isNone(step)) return undefined
    const watch = begin(key, step.value, (changed) => events.watch(place.area, place.path, changed))
    // The root may have been another one for a moment, by a link that was replaced, say.
    if (watch === undefined || isCurrent(events, place)) return watch
    endUnused(watch)
    return undefined
  }

  return {
    depend: (reading, path) => {
      const watch = watchAt({ ...reading.place, path })
      if (watch === undefined) return false
      watch.readings.add(reading)
      reading.watches.push(watch)
      return true
    },
    release: (reading) => {
      for (const watch of reading.watches.splice(0)) {
        watch.readings.delete(reading)
        endUnused(watch)
      }
    },
    isWatched: (place) => watches.has(keyOf(place)),
    count: () => watches.size,
  }
}

/** As many entries are looked at within a millisecond. */
const sectionLength = 2048

export const directoriesIn = async (entries: Listing.Entries): Promise<ReadonlyArray<Entry.Entry>> => {
  const sliceEnd = timeSlices()
  const directories: Array<Entry.Entry> = []
  let seen = 0
  for (const entry of entries) {
    if (seen % sectionLength === 0) await sliceEnd()
    seen += 1
    if (entry.type === 'dir') directories.push(entry)
  }
  return directories
}

/** Some file systems count time in steps of two seconds. */
const coarsestSeconds = 2

/**
 * Whether something in one of these directories was made, removed or renamed after a moment (in milliseconds since 1970): no
 * change event reports it, only the time of that directory.
 */
export const changedSince = (directories: ReadonlyArray<Entry.Entry>, milliseconds: number): boolean => {
  const since = BigInt(Math.floor(milliseconds / 1000) - coarsestSeconds)
  return directories.some(({ last_modified }) => last_modified >= since)
}

/** Each takes a watch: a directory with more directories in it is not cached. */
const mostDirectories = 1024

/**
 * Makes a reading depend on each directory in it: only a watch on that directory reports that its time moves. Watched first,
 * then compared with the listing; one by one, since each takes as long as a small request. False when one cannot be watched
 * or is another by now, or when there is no room for the new watches.
 */
export const dependOnChildren = async (
  { depend, isWatched }: Pick<Dependencies, 'depend' | 'isWatched'>,
  { nodeAt }: NodeAtEnv,
  reading: Reading,
  hasRoom: (newWatches: number) => boolean,
): Promise<boolean> => {
  const { place, directories } = reading
  if (directories.length > mostDirectories) return false
  const children = directories.flatMap(({ name, last_modified }) => {
    const path = StoragePath.child(place.path, name)
    return O.isNone(path) ? [] : [{ path: path.value, last_modified }]
  })
  const unwatched = children.filter(({ path }) => !isWatched({ ...place, path }))
  if (reading.stale || !hasRoom(unwatched.length)) return false
  if (children.length > 0) await yieldToEventLoop()
  const sliceEnd = timeSlices()
  for (const { path, last_modified } of children) {
    await sliceEnd()
    if (reading.stale || !depend(reading, path)) return false
    const node = await nodeAt(place.area, path)()
    if (!E.isRight(node) || node.right.type !== 'dir' || node.right.last_modified !== last_modified) return false
  }
  return true
}
