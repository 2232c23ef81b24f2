import type { Entry, Listing } from '@canopy/domain'
import { afterNextPoll } from '@canopy/scheduling'
import * as E from 'fp-ts/lib/Either.js'
import type { FsStorage } from '../fsStorage.js'
import type { StorageResult } from '../StorageResult.js'
import { mayHaveChangedSince, subdirectoriesIn } from './subdirectories.js'
import { type Dependent, keyOf, type Place, type Watches } from './Watches.js'

interface Dependencies {
  readonly storage: FsStorage
  readonly watches: Watches
  /** Whether the area has the root of the place now. */
  readonly isSameRoot: () => Promise<boolean>
}

/** The result of a read for the cache. Its watches last until the dependent is released. */
export interface WatchedRead {
  readonly dependent: Dependent
  readonly answer: StorageResult<Listing.Listing>
  readonly subdirectories: ReadonlyArray<Entry.Entry>
  /** Whether the directory and its path were watched from before the read on, and the root was the same at a look-up beside it. */
  readonly isWatchedThroughout: boolean
}

/**
 * Reads a directory. Reads it a second time, as a snapshot, and returns that, if an event reported a change during the read, or if
 * the time of a subdirectory is later than three seconds before the read.
 */
export const watchedRead = async (
  dependencies: Dependencies,
  place: Place,
  cancelled: AbortSignal | undefined,
): Promise<WatchedRead> => {
  const { storage, watches } = dependencies
  const { mayBeMixed, ...first } = await readOnce(dependencies, storage.list, place, cancelled)
  if (!mayBeMixed) return first
  // Read no third time. A snapshot that has become stale is answered but not stored (`#storeIfCurrent`).
  // Begins before the watches of the first read are released, so that it reuses those that are left.
  const second = readOnce(dependencies, storage.listSnapshot, place, cancelled)
  watches.release(first.dependent)
  return second
}

/** Watches first, then reads: every change is either in the answer or reported as an event. */
const readOnce = async (
  { watches, isSameRoot }: Dependencies,
  list: FsStorage['list'],
  place: Place,
  cancelled: AbortSignal | undefined,
): Promise<WatchedRead & { readonly mayBeMixed: boolean }> => {
  const clockAtStart = Date.now()
  const start = performance.now()
  const dependent: Dependent = { place, key: keyOf(place), isStale: false }
  const isWatched = watches.depend(dependent, place.path)
  // A listing that may be cached is read to its end, even after the last client has left.
  const signal = isWatched ? undefined : cancelled
  const both = Promise.all([
    list(place.area, place.path, { signal })(),
    // A second look-up beside the read, because the root may be replaced for the read only.
    isSameRoot(),
  ])
  const [answer, rootStayed] = await watches.releaseOnFailure(dependent, both)
  // Delivers the events of changes during the read.
  await afterNextPoll()
  const subdirectories = E.isRight(answer) ? await subdirectoriesIn(answer.right.entries) : []
  // If the clock was set back during the read, its present time gives an earlier start.
  const since = Math.min(clockAtStart, Date.now() - (performance.now() - start))
  // A change in a subdirectory alters its time, but raises no event in this directory.
  const mayBeMixed = dependent.isStale || mayHaveChangedSince(subdirectories, since)
  return { dependent, answer, subdirectories, isWatchedThroughout: isWatched && rootStayed, mayBeMixed }
}
