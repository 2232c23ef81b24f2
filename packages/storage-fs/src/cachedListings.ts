import { type Area, type Entry, Failure, type ListEnv, Listing, type NodeAtEnv, StoragePath } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import { LRUCache } from 'lru-cache'
import type { AreaRoot } from './areas.js'
import type { ChangeEvents } from './changeEvents.js'
import {
  dependencies,
  dependOnChildren,
  dependOnPath,
  isCurrent,
  keyOf,
  type Place,
  type Reading,
  someDirectory,
} from './dependencies.js'
import { polled, singleFlight, type Work } from './eventLoop.js'
import type { FsStorage } from './fsStorage.js'

// As measured: an entry of an array without its name, and a UTF-16 unit of a name.
const arrayEntryBytes = 140
const nameUnitBytes = 2
// A watch with its handle.
const watchBytes = 2048
// The listing itself, and what finds it again.
const readingBytes = 2560

/** Entries that take less memory than an array say how much. */
const entriesBytes = (entries: Listing.Entries & { readonly bytes?: number }): number => {
  if (entries.bytes !== undefined) return entries.bytes
  let bytes = entries.length * arrayEntryBytes
  for (const { name } of entries) bytes += name.length * nameUnitBytes
  return bytes
}

/** What a cached reading costs in memory; an estimate, on the high side. */
export const bytesOf = ({ listing, watches, key }: Reading): number =>
  readingBytes + key.length * 2 + watches.length * watchBytes + entriesBytes(listing?.entries ?? [])

/** Some file systems count time in steps of two seconds. */
const coarsestSeconds = 2

/**
 * Whether something in a directory of this listing was made, removed or renamed after a moment (in milliseconds since
 * 1970): no change event reports it, only the time of that directory.
 */
export const changedSince = ({ entries }: Listing.Listing, milliseconds: number): Promise<boolean> => {
  const since = BigInt(Math.floor(milliseconds / 1000) - coarsestSeconds)
  return someDirectory(entries, ({ last_modified }) => last_modified >= since)
}

type Listed = E.Either<Failure.OfStorage, Listing.Listing>

interface Read {
  readonly reading: Reading
  /** Whether a change would have been reported. */
  readonly isWatched: boolean
  readonly listed: Listed
  /** Whether it may mix several moments. */
  readonly isMixed: boolean
}

/** A change without an event (by another hard link, through a memory map) is seen after as many milliseconds. */
const longestMs = 600_000

/**
 * The same ports over listings that stay in memory, shared as immutable values, until a change event invalidates them.
 * Never stale: a change that was complete before a question was asked is in its answer; one without an event, within
 * `maxMs` milliseconds. The cache takes at most `maxBytes` bytes of memory.
 */
export const cachedListings = (
  storage: FsStorage,
  events: ChangeEvents,
  maxBytes: number,
  maxMs: number = longestMs,
): NodeAtEnv & ListEnv => {
  const cache = new LRUCache<string, Reading>({
    maxSize: maxBytes,
    ttl: maxMs,
    ttlResolution: 100,
    dispose: (reading) => watches.release(reading),
  })

  /** It depends on nothing any more: what was watched for it may be another directory by now. */
  const drop = (reading: Reading): void => {
    reading.stale = true
    cache.delete(reading.key)
    watches.release(reading)
  }

  const watches = dependencies(events, drop)

  const known = (key: string): Listed | undefined => {
    const listing = cache.get(key)?.listing
    return listing === undefined ? undefined : E.right(listing)
  }

  /** Nothing is watched for work that failed. */
  const orRelease = async <A>(reading: Reading, work: () => Promise<A>): Promise<A> => {
    try {
      return await work()
    } catch (thrown) {
      watches.release(reading)
      throw thrown
    }
  }

  const readBy = (list: ListEnv['list'], place: Place): Promise<Read> => {
    const began = Date.now()
    const beganHere = performance.now()
    const reading: Reading = { place, key: keyOf(place), stale: false, listing: undefined, watches: [] }
    return orRelease(reading, async () => {
      const isWatched = dependOnPath(watches, reading)
      // By then the storage has found the directory, as a rule: below this root, or below another one.
      const isReadHere = polled().then(() => isCurrent(events, place))
      const [listed, isHere] = await Promise.all([list(place.area, place.path)(), isReadHere])
      await polled()
      // By the clock as it is now, too: it may have been set back since.
      const since = Math.min(began, Date.now() - (performance.now() - beganHere))
      const isMixed = reading.stale || (E.isRight(listed) && (await changedSince(listed.right, since)))
      return { reading, isWatched: isWatched && isHere, listed, isMixed }
    })
  }

  /** What changes while it is read is read again, as a snapshot. */
  const read = async (place: Place): Promise<Read> => {
    const once = await readBy(storage.list, place)
    if (!once.isMixed) return once
    // It depends on the same watches before the first one releases them.
    const again = readBy(storage.listSnapshot, place)
    watches.release(once.reading)
    return again
  }

  /** Caches a listing if nothing has changed until every event of the time of its reading has been delivered. */
  const store = async ({ reading, isWatched, listed }: Read): Promise<void> => {
    if (!isWatched || E.isLeft(listed) || listed.right.unknown !== undefined) return watches.release(reading)
    reading.listing = listed.right
    const covered = events.covers(listed.right) && (await dependOnChildren(watches, storage, reading))
    await polled()
    const size = bytesOf(reading)
    if (covered && !reading.stale && isCurrent(events, reading.place) && size <= maxBytes)
      cache.set(reading.key, reading, { size })
    else watches.release(reading)
  }

  const readAndStore = (place: Place) => (): Work<Listed> => {
    const reading = read(place)
    return {
      answer: reading.then(({ listed }) => listed),
      end: reading.then((read) => orRelease(read.reading, () => store(read))),
    }
  }

  const shared = singleFlight(known)

  const roots = new Map<Area.Area, O.Option<AreaRoot>>()
  let rootsSeenAt: Promise<void> | undefined

  /** The root of an area once the loop has polled; looked up once for all who wait for the same poll. */
  const rootOnceDelivered = async (area: Area.Area): Promise<O.Option<AreaRoot>> => {
    const poll = polled()
    await poll
    if (rootsSeenAt !== poll) roots.clear()
    rootsSeenAt = poll
    const root = roots.get(area) ?? events.root(area)
    roots.set(area, root)
    return root
  }

  /** Known without a look at it: the root itself, and what the cached listing of its parent holds. */
  const knownNode = ({ node }: AreaRoot, place: Place): O.Option<E.Either<Failure.FileNotFound, Entry.Node>> => {
    const name = StoragePath.name(place.path)
    if (name === '') return O.some(E.right(node))
    return pipe(
      StoragePath.parent(place.path),
      O.flatMap((path) => O.fromNullable(cache.get(keyOf({ ...place, path }))?.listing)),
      O.map((listing) => Listing.named(listing, name)),
      O.map(E.fromOption(() => Failure.fileNotFound)),
    )
  }

  /** What is known to be missing, or to be a file, is not read. */
  const knownNoDirectory = (root: AreaRoot, place: Place): Listed | undefined =>
    pipe(
      knownNode(root, place),
      O.map(E.flatMap(({ type }) => (type === 'dir' ? E.right(type) : E.left(Failure.typeMismatch)))),
      O.filter(E.isLeft),
      O.toUndefined,
    )

  return {
    list: (area, path) => async () => {
      const root = await rootOnceDelivered(area)
      if (O.isNone(root)) return storage.list(area, path)()
      const place = { area, root: root.value.identity, path }
      const key = keyOf(place)
      return known(key) ?? knownNoDirectory(root.value, place) ?? shared(key, readAndStore(place))
    },
    nodeAt: (area, path) => async () =>
      pipe(
        await rootOnceDelivered(area),
        O.flatMap((root) => knownNode(root, { area, root: root.identity, path })),
        O.getOrElseW(() => storage.nodeAt(area, path)()),
      ),
  }
}
