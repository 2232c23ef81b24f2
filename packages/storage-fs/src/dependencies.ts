import { type Area, type Entry, type Listing, type NodeAtEnv, StoragePath } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import type { ChangeEvents } from './changeEvents.js'
import { slices, yieldNow } from './eventLoop.js'

/** A directory below the root of an area. Below another root everything is another directory. */
export interface Place {
  readonly area: Area.Area
  /** The identity of the root. */
  readonly root: string
  readonly path: StoragePath.StoragePath
}

export const keyOf = ({ area, root, path }: Place): string => `${area.location}\0${root}\0${path}`

/** Whether the root of the area is still the one that a place lies below. */
export const isCurrent = (events: Pick<ChangeEvents, 'root'>, { area, root }: Place): boolean =>
  pipe(
    events.root(area),
    O.exists(({ identity }) => identity === root),
  )

/** One reading of a directory, from before its first byte until it is dropped. */
export interface Reading {
  readonly place: Place
  readonly key: string
  /** Set for good by the first change. */
  stale: boolean
  listing: Listing.Listing | undefined
  /** The directories that it depends on, and in each the one entry that matters, or every one. */
  readonly watches: Array<{ readonly key: string; readonly name: string }>
}

/** No entry has this name. */
const everyEntry = ''

interface Watched {
  readonly stop: () => void
  /** By the entry that matters to them. */
  readonly dependents: Map<string, Set<Reading>>
}

export interface Dependencies {
  /** Makes a reading depend on a directory of its area, or on one entry of it; false when it cannot be watched. */
  readonly depend: (reading: Reading, path: StoragePath.StoragePath, name?: string) => boolean
  /** Ends all that a reading depends on; a directory without dependents is no longer watched. */
  readonly release: (reading: Reading) => void
}

/** One watch for each directory, however many readings depend on it. */
export const dependencies = (events: ChangeEvents, changed: (reading: Reading) => void): Dependencies => {
  const directories = new Map<string, Watched>()

  const onChange = (key: string) => (name: O.Option<string>) => {
    const dependents = directories.get(key)?.dependents ?? new Map<string, Set<Reading>>()
    const names = O.isNone(name) ? [...dependents.keys()] : [everyEntry, name.value]
    for (const reading of names.flatMap((each) => [...(dependents.get(each) ?? [])])) changed(reading)
  }

  const watchedAt = (place: Place, key: string): Watched | undefined => {
    const known = directories.get(key)
    if (known !== undefined) return known
    const stop = events.watch(place.area, place.path, onChange(key))
    if (O.isNone(stop)) return undefined
    // The root may have been another one for a moment, by a link that was replaced, say.
    if (!isCurrent(events, place)) {
      stop.value()
      return undefined
    }
    const watched = { stop: stop.value, dependents: new Map<string, Set<Reading>>() }
    directories.set(key, watched)
    return watched
  }

  return {
    depend: (reading, path, name = everyEntry) => {
      const place = { ...reading.place, path }
      const key = keyOf(place)
      const watched = watchedAt(place, key)
      if (watched === undefined) return false
      watched.dependents.set(name, (watched.dependents.get(name) ?? new Set()).add(reading))
      reading.watches.push({ key, name })
      return true
    },
    release: (reading) => {
      for (const { key, name } of reading.watches.splice(0)) {
        const watched = directories.get(key)
        const readings = watched?.dependents.get(name)
        readings?.delete(reading)
        if (readings?.size === 0) watched?.dependents.delete(name)
        if (watched?.dependents.size !== 0) continue
        watched.stop()
        directories.delete(key)
      }
    },
  }
}

/**
 * Every entry of the directory matters, and each step of the path that leads to it. From the root of the area down: what
 * replaces a directory once its parent is watched is noticed. False when one cannot be watched.
 */
export const dependOnPath = ({ depend }: Dependencies, reading: Reading): boolean => {
  const { path } = reading.place
  const steps = StoragePath.upwards(path).flatMap((at) =>
    pipe(
      StoragePath.parent(at),
      O.match(
        () => [],
        (parent) => [{ parent, name: StoragePath.name(at) }],
      ),
    ),
  )
  return steps.reverse().every(({ parent, name }) => depend(reading, parent, name)) && depend(reading, path)
}

/** As many entries are looked at within a millisecond. */
const sectionLength = 2048

/** Whether one of the directories among entries is such a one; asked of each in order, until one is. */
export const someDirectory = async (
  entries: Listing.Entries,
  is: (directory: Entry.Entry) => boolean,
): Promise<boolean> => {
  const sliceEnd = slices()
  let seen = 0
  for (const entry of entries) {
    if (seen % sectionLength === 0) await sliceEnd()
    seen += 1
    if (entry.type === 'dir' && is(entry)) return true
  }
  return false
}

/** Each takes a watch: a directory with more directories in it is not cached. */
const mostDirectories = 1024

/**
 * A listing holds the time of each directory in it, and only a watch on that directory reports that it moves. Watched
 * first, then compared with the listing; one by one, since each takes as long as a small request. False when one cannot
 * be watched or is another by now.
 */
export const dependOnChildren = async (
  { depend }: Dependencies,
  { nodeAt }: NodeAtEnv,
  reading: Reading,
): Promise<boolean> => {
  const { area, path } = reading.place
  const directories: Array<Entry.Entry> = []
  const areTooMany = (directory: Entry.Entry): boolean => directories.push(directory) > mostDirectories
  if (await someDirectory(reading.listing?.entries ?? [], areTooMany)) return false
  if (directories.length > 0) await yieldNow()
  const sliceEnd = slices()
  for (const { name, last_modified } of directories) {
    await sliceEnd()
    if (reading.stale) return false
    const child = StoragePath.child(path, name)
    if (O.isNone(child)) continue
    if (!depend(reading, child.value)) return false
    const node = await nodeAt(area, child.value)()
    if (!E.isRight(node) || node.right.type !== 'dir' || node.right.last_modified !== last_modified) return false
  }
  return true
}
