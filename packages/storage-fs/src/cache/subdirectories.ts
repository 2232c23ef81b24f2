import { type Entry, type Listing, type NodeAtEnv, StoragePath } from '@canopy/domain'
import { timeSlices, yieldToEventLoop } from '@canopy/scheduling'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Dependent, Watches } from './Watches.js'

// A listing contains the modification time of each subdirectory. A change in that subdirectory changes its time, without an event
// in its parent.

/** This number of entries takes less than a millisecond. */
const sectionLength = 2048

export const subdirectoriesIn = async (entries: Listing.Entries): Promise<ReadonlyArray<Entry.Entry>> => {
  const yieldAtEnd = timeSlices()
  const directories: Array<Entry.Entry> = []
  let seen = 0
  for (const entry of entries) {
    if (seen % sectionLength === 0) await yieldAtEnd()
    seen += 1
    if (entry.type === 'dir') directories.push(entry)
  }
  return directories
}

/** Some file systems count time in steps of two seconds, so a change may have an earlier time. */
const coarsestSeconds = 2

/** Reports whether one of these directories may have changed after a moment, in milliseconds since 1970, by its coarse time. */
export const mayHaveChangedSince = (directories: ReadonlyArray<Entry.Entry>, milliseconds: number): boolean => {
  const since = BigInt(Math.floor(milliseconds / 1000) - coarsestSeconds)
  return directories.some(({ last_modified }) => last_modified >= since)
}

/** A directory with more subdirectories is not cached, because each of them takes a watch. */
const maxSubdirectories = 1024

interface Dependencies {
  readonly watches: Pick<Watches, 'depend' | 'isWatched'>
  readonly storage: NodeAtEnv
  /** Makes room for watches. Returns false if they do not fit. */
  readonly makeRoom: (watchCount: number) => boolean
}

/**
 * Makes a listing depend on each of its subdirectories: watches it, then compares its time with the listing. Yields after each time
 * slice, because there may be many. Returns false if one cannot be watched or has changed, or if the watches do not fit.
 */
export const dependOnSubdirectories = async (
  { watches, storage, makeRoom }: Dependencies,
  dependent: Dependent,
  subdirectories: ReadonlyArray<Entry.Entry>,
): Promise<boolean> => {
  const { place } = dependent
  if (subdirectories.length > maxSubdirectories) return false
  const children = subdirectories.flatMap(({ name, last_modified }) => {
    const path = StoragePath.child(place.path, name)
    // A child without a path can be neither requested nor shown.
    return O.isNone(path) ? [] : [{ path: path.value, last_modified }]
  })
  const unwatched = children.filter(({ path }) => !watches.isWatched({ ...place, path }))
  if (dependent.isStale || !makeRoom(unwatched.length)) return false
  if (children.length > 0) await yieldToEventLoop()
  const yieldAtEnd = timeSlices()
  for (const { path, last_modified } of children) {
    await yieldAtEnd()
    if (dependent.isStale || !watches.depend(dependent, path)) return false
    const node = await storage.nodeAt(place.area, path)()
    if (!E.isRight(node) || node.right.type !== 'dir' || node.right.last_modified !== last_modified) return false
  }
  return true
}
