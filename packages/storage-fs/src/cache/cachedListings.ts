// Listings in memory: how one gets in (`readAndStore`), what invalidates it (`drop`), and when it leaves (`known`, `makeRoom`).
import { type Area, type Entry, Failure, Listing, StoragePath } from '@canopy/domain'
import { afterNextPoll, singleFlight, type Work } from '@canopy/scheduling'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { PackedEntries } from '../read/directory.js'
import type { FsStorage } from '../read/fsStorage.js'
import type { AreaRoot } from '../resolve/areas.js'
import type { ChangeEvents } from './changeEvents.js'
import {
  changedSince,
  dependencies,
  dependOnChildren,
  directoriesIn,
  isCurrent,
  keyOf,
  type Place,
  type Reading,
} from './dependencies.js'

// As measured: a UTF-16 unit of a key; a watch with its handle, one for all that depend on it; the listing itself, and what
// finds it again.
const unitBytes = 2
const watchBytes = 3584
const listingBytes = 1024

/** What a listing takes of memory, without its watches; an estimate, on the high side. */
const bytesOf = ({ key }: Reading, entries: PackedEntries): number =>
  listingBytes + key.length * unitBytes + entries.bytes

export interface CacheOptions {
  /** A change without an event (by another hard link, through a memory map) is seen after as many milliseconds. */
  readonly maxMs?: number
  /** A listing that was asked for within as many milliseconds makes no room for another one. */
  readonly recentMs?: number
  /** Called each time that a listing finds no room in the cache, with the bytes that it would take. */
  readonly onFull?: (place: Pick<Place, 'area' | 'path'>, bytes: number) => void
}

/** The cache since it was made; `bytes` and `watches` at this moment. */
export interface CacheFigures {
  readonly bytes: number
  readonly watches: number
  /** Questions for a listing that were answered from memory, and the others. */
  readonly hits: number
  readonly misses: number
  /** Listings that made room for others. */
  readonly evictions: number
}

type Listed = E.Either<Failure.OfStorage, Listing.Listing>

interface Read {
  readonly reading: Reading
  readonly listed: Listed
  /** Whether a change would have been reported. */
  readonly isWatched: boolean
  /** Whether it may mix several moments. */
  readonly isMixed: boolean
}

interface Cached {
  readonly reading: Reading
  readonly listed: E.Right<Listing.Listing>
  readonly bytes: number
  readonly since: number
  askedAt: number
}

/**
 * The same ports over listings that stay in memory, shared as immutable values, until a change event invalidates them.
 * Never stale: a change that was complete before a question was asked is in its answer; one without an event, within
 * `maxMs` milliseconds. Listings and watches take at most `maxBytes` bytes of memory.
 */
export const cachedListings = (
  storage: FsStorage,
  events: ChangeEvents,
  maxBytes: number,
  { maxMs = 600_000, recentMs = 60_000, onFull = () => undefined }: CacheOptions = {},
): Pick<FsStorage, 'nodeAt' | 'list'> & { readonly figures: () => CacheFigures } => {
  /** In the order in which they were last asked for. */
  const cache = new Map<string, Cached>()
  const counts = { hits: 0, misses: 0, evictions: 0 }
  let listingsBytes = 0

  const bytesNow = (): number => listingsBytes + watches.count() * watchBytes

  /** It depends on nothing any more: what was watched for it may be another directory by now. */
  const drop = (reading: Reading): void => {
    reading.stale = true
    const cached = cache.get(reading.key)
    if (cached?.reading === reading) {
      cache.delete(reading.key)
      listingsBytes -= cached.bytes
    }
    watches.release(reading)
  }

  const watches = dependencies(events, drop)

  const known = (key: string): Cached['listed'] | undefined => {
    const cached = cache.get(key)
    if (cached === undefined) return undefined
    const now = performance.now()
    if (now - cached.since > maxMs) {
      drop(cached.reading)
      return undefined
    }
    cached.askedAt = now
    cache.delete(key)
    cache.set(key, cached)
    return cached.listed
  }

  /**
   * Whether a listing finds room, once what was not asked for lately has left. What is in use stays: a walk through more
   * than fits would otherwise evict all that the next one needs, and read everything each time.
   */
  const makeRoom = ({ place }: Reading, bytes: number): boolean => {
    const fits = (): boolean => bytesNow() + bytes <= maxBytes
    const recent = performance.now() - recentMs
    if (bytes < maxBytes)
      for (const cached of cache.values()) {
        if (fits() || cached.askedAt > recent) break
        drop(cached.reading)
        counts.evictions += 1
      }
    if (!fits()) onFull(place, bytes)
    return fits()
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

  const readBy = (list: FsStorage['list'], place: Place, abandoned: AbortSignal): Promise<Read> => {
    const began = Date.now()
    const beganHere = performance.now()
    const reading: Reading = { place, key: keyOf(place), stale: false, directories: [], watches: [] }
    return orRelease(reading, async () => {
      const isWatched = watches.depend(reading, place.path)
      // By then the storage has found the directory, as a rule: below this root, or below another one.
      const isReadHere = afterNextPoll().then(() => isCurrent(events, place))
      const [listed, isHere] = await Promise.all([
        // What may be cached is read to its end, also when no client waits any more.
        list(place.area, place.path, { signal: isWatched ? undefined : abandoned })(),
        isReadHere,
      ])
      await afterNextPoll()
      if (E.isRight(listed)) reading.directories = await directoriesIn(listed.right.entries)
      // By the clock as it is now, too: it may have been set back since.
      const since = Math.min(began, Date.now() - (performance.now() - beganHere))
      const isMixed = reading.stale || changedSince(reading.directories, since)
      return { reading, listed, isWatched: isWatched && isHere, isMixed }
    })
  }

  /** What changes while it is read is read again, as a snapshot. */
  const read = async (place: Place, abandoned: AbortSignal): Promise<Read> => {
    const once = await readBy(storage.list, place, abandoned)
    if (!once.isMixed) return once
    // It depends on the same watches before the first one releases them.
    const again = readBy(storage.listSnapshot, place, abandoned)
    watches.release(once.reading)
    return again
  }

  /** Caches a listing if it is whole, and nothing has changed until every event of the time of its reading has been delivered. */
  const store = async ({ reading, isWatched, listed }: Read): Promise<void> => {
    const entries = E.isRight(listed) && listed.right.unknown === undefined ? listed.right.entries : undefined
    // By another name a file is written without an event here.
    if (!isWatched || E.isLeft(listed) || !(entries instanceof PackedEntries) || entries.packed.hasHardLinks)
      return watches.release(reading)
    const bytes = bytesOf(reading, entries)
    const hasRoom = (newWatches: number): boolean => makeRoom(reading, bytes + newWatches * watchBytes)
    const dependsOnAll = await dependOnChildren(watches, storage, reading, hasRoom)
    await afterNextPoll()
    const isGood = dependsOnAll && !reading.stale && isCurrent(events, reading.place) && bytesNow() + bytes <= maxBytes
    if (!isGood) return watches.release(reading)
    reading.directories = []
    const now = performance.now()
    cache.set(reading.key, { reading, listed, bytes, since: now, askedAt: now })
    listingsBytes += bytes
  }

  const readAndStore =
    (place: Place) =>
    (abandoned: AbortSignal): Work<Listed> => {
      const reading = read(place, abandoned)
      return {
        answer: reading.then(({ listed }) => listed),
        end: reading.then((read) => orRelease(read.reading, () => store(read))),
      }
    }

  const readOnly =
    (place: Place) =>
    (abandoned: AbortSignal): Work<Listed> => {
      const answer = storage.list(place.area, place.path, { signal: abandoned })()
      return { answer, end: answer }
    }

  const shared = singleFlight<Listed>(known)

  const roots = new Map<Area.Area, AreaRoot | undefined>()
  let rootsSeenAt: Promise<void> | undefined

  /** The root of an area once the loop has polled; looked up once for all who wait for the same poll. */
  const rootOnceDelivered = async (area: Area.Area): Promise<AreaRoot | undefined> => {
    const poll = afterNextPoll()
    await poll
    if (rootsSeenAt !== poll) roots.clear()
    rootsSeenAt = poll
    if (!roots.has(area)) roots.set(area, events.root(area))
    return roots.get(area)
  }

  /** Known without a look at it: the root itself, and what the cached listing of its parent holds. */
  const knownNode = ({ node }: AreaRoot, place: Place): E.Either<Failure.FileNotFound, Entry.Node> | undefined => {
    const name = StoragePath.name(place.path)
    if (name === '') return E.right(node)
    const parent = O.toUndefined(StoragePath.parent(place.path))
    const listed = parent && known(keyOf({ ...place, path: parent }))
    return listed && E.fromOption(() => Failure.fileNotFound)(Listing.named(listed.right, name))
  }

  /** What is known to be missing, or to be a file, is not read. */
  const knownNoDirectory = (root: AreaRoot, place: Place): Listed | undefined => {
    const node = knownNode(root, place)
    if (node === undefined || E.isLeft(node)) return node
    return node.right.type === 'file' ? E.left(Failure.typeMismatch) : undefined
  }

  return {
    list:
      (area, path, { signal } = {}) =>
      async () => {
        const root = await rootOnceDelivered(area)
        const place = { area, root: root?.identity ?? '', path }
        const key = keyOf(place)
        const answer = root && (known(key) ?? knownNoDirectory(root, place))
        counts[answer === undefined ? 'misses' : 'hits'] += 1
        return answer ?? shared(key, root === undefined ? readOnly(place) : readAndStore(place), signal)
      },
    nodeAt: (area, path) => async () => {
      const root = await rootOnceDelivered(area)
      const node = root && knownNode(root, { area, root: root.identity, path })
      return node ?? storage.nodeAt(area, path)()
    },
    figures: () => ({ ...counts, bytes: bytesNow(), watches: watches.count() }),
  }
}
