import { type Entry, type Listing, type NodeAtEnv, StoragePath } from '@canopy/domain'
import { timeSlices, yieldToEventLoop } from '@canopy/scheduling'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Reading } from './Reading.js'
import type { Watches } from './Watches.js'

// A listing contains the modification time of each directory in it. A change in that directory changes its time, without an
// event in its parent.

/** This number of entries takes less than a millisecond. */
const sectionLength = 2048

export const directoriesIn = async (entries: Listing.Entries): Promise<ReadonlyArray<Entry.Entry>> => {
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

/** Some file systems count time in steps of two seconds. */
const coarsestSeconds = 2

/** Reports whether one of these directories changed after a moment, in milliseconds since 1970. */
export const changedSince = (directories: ReadonlyArray<Entry.Entry>, milliseconds: number): boolean => {
  const since = BigInt(Math.floor(milliseconds / 1000) - coarsestSeconds)
  return directories.some(({ last_modified }) => last_modified >= since)
}

/** A directory with more subdirectories is not cached, because each of them takes a watch. */
const maxDirectories = 1024

/**
 * Makes a reading depend on each directory in it: watches the directory, then compares it with the listing. Yields between
 * them, because each takes as long as a small request. Returns false if one cannot be watched or has changed, or if the new
 * watches do not fit.
 */
export const dependOnChildren = async (
  watches: Pick<Watches, 'depend' | 'isWatched'>,
  { nodeAt }: NodeAtEnv,
  reading: Reading,
  hasRoom: (newWatches: number) => boolean,
): Promise<boolean> => {
  const { place, directories } = reading
  if (directories.length > maxDirectories) return false
  const children = directories.flatMap(({ name, last_modified }) => {
    const path = StoragePath.child(place.path, name)
    // A child without a path can be neither requested nor shown.
    return O.isNone(path) ? [] : [{ path: path.value, last_modified }]
  })
  const unwatched = children.filter(({ path }) => !watches.isWatched({ ...place, path }))
  if (reading.stale || !hasRoom(unwatched.length)) return false
  if (children.length > 0) await yieldToEventLoop()
  const yieldAtEnd = timeSlices()
  for (const { path, last_modified } of children) {
    await yieldAtEnd()
    if (reading.stale || !watches.depend(reading, path)) return false
    const node = await nodeAt(place.area, path)()
    if (!E.isRight(node) || node.right.type !== 'dir' || node.right.last_modified !== last_modified) return false
  }
  return true
}
