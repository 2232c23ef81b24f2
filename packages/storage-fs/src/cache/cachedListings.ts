import { type Area, type Entry, Failure, Listing, StoragePath } from '@canopy/domain'
import { afterNextPoll, singleFlight, type Work } from '@canopy/scheduling'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { FsStorage } from '../read/fsStorage.js'
import { PackedEntries } from '../read/PackedEntries.js'
import type { AreaRoot } from '../resolve/areas.js'
import { type CachedListing, keyOf, type Place } from './CachedListing.js'
import type { ChangeEvents } from './changeEvents.js'
import { dependOnSubdirectories, haveChangedSince, subdirectoriesIn } from './subdirectories.js'
import { Watches } from './Watches.js'

// Why a listing is never stale:
// 1. The kernel queues a change event before the call that makes the change returns.
// 2. Watches begin before the read: on `/`, on each step of the path, and on the directory (Watches.ts). After the read comes a
//    poll of the event loop, which delivers the events of changes during the read. If one concerns the
//    listing, it is read again as a snapshot, and is not stored if it changes again.
// 3. A listing contains the modification times of its subdirectories. Each of them is watched, then looked up again and compared
//    (subdirectories.ts).
// 4. A change event invalidates every listing that depends on its directory: `#invalidate` is the one way out of the cache. If
//    events may be lost, all listings are invalidated (changeEvents.ts).
// 5. A request waits until the events that were queued before it are delivered. Then it looks up the identity of the area's root,
//    which is part of the key, because a mount raises no event. A listing is stored only if the root stayed the same.
// 6. A request never joins a read that has already begun (singleFlight.ts).
// Two changes raise no event and show after `maxMs`: through a memory map, and through a hard link that is made later. A mount
// below the root shows within a second: its number is part of the root's identity, from a table that is read once a second.

export interface CacheOptions {
  /** A change without an event shows after at most this time. */
  readonly maxMs?: number
  /** A listing that was requested within this time is not evicted. */
  readonly recentMs?: number
  /** Called each time a listing does not fit, with the bytes that it needs. */
  readonly onFull?: (place: Pick<Place, 'area' | 'path'>, bytes: number) => void
}

/** Totals since the start of the cache, and present values. */
export interface CacheFigures {
  readonly bytes: number
  readonly watches: number
  readonly listings: number
  /** Directories that are being read, or stored after the answer. */
  readonly inFlight: number
  /** Requests for a listing that was in memory. */
  readonly hits: number
  /** Requests for any other listing. */
  readonly misses: number
  /** Listings that were evicted to make room. */
  readonly evictions: number
}

export type CachedPorts = Pick<FsStorage, 'nodeAt' | 'list' | 'openFile'> & { readonly figures: () => CacheFigures }

/**
 * Caches listings as shared immutable values until a change event invalidates them. An answer includes every change that was
 * complete before the request. A change without an event shows within `maxMs`. Listings and watches take at most `maxBytes` of
 * memory.
 */
export const cachedListings = (
  storage: FsStorage,
  events: ChangeEvents,
  maxBytes: number,
  options: CacheOptions = {},
): CachedPorts => new CachedListings(storage, events, maxBytes, options)

type Answer = E.Either<Failure.OfStorage, Listing.Listing>

/** The result of a read for the cache. */
interface Read {
  readonly listing: CachedListing
  readonly answer: Answer
  readonly subdirectories: ReadonlyArray<Entry.Entry>
  /** Whether the root stayed the same and every change is reported. */
  readonly isCacheable: boolean
  /** Whether the answer may mix several moments. */
  readonly isMixed: boolean
}

/** A value of the cache. */
interface Stored {
  readonly listing: CachedListing
  readonly answer: E.Right<Listing.Listing>
  readonly bytes: number
  readonly storedAt: number
  requestedAt: number
}

// Measured: a UTF-16 unit of a key; a watch with its handle; a listing with its entries in the maps.
const unitBytes = 2
const watchBytes = 3584
const listingBytes = 1024

/** Returns an upper estimate of the memory of a listing, without its watches. */
const bytesOf = ({ key }: CachedListing, entries: PackedEntries): number =>
  listingBytes + key.length * unitBytes + entries.bytes

class CachedListings implements CachedPorts {
  readonly #storage: FsStorage
  readonly #maxBytes: number
  readonly #options: Required<CacheOptions>
  readonly #watches: Watches
  readonly #flight = singleFlight<Answer>((key) => this.#fresh(key))
  /** In the order of the latest requests, oldest first. */
  readonly #cache = new Map<string, Stored>()
  readonly #events: ChangeEvents
  /** The roots of areas as of `#rootsPoll`, the latest poll of the event loop that a request waited for. */
  readonly #roots = new Map<Area.Area, AreaRoot | undefined>()
  #rootsPoll: Promise<void> | undefined
  #listingsBytes = 0
  readonly #counts = { inFlight: 0, hits: 0, misses: 0, evictions: 0 }

  constructor(
    storage: FsStorage,
    events: ChangeEvents,
    maxBytes: number,
    { maxMs = 600_000, recentMs = 60_000, onFull = () => undefined }: CacheOptions,
  ) {
    this.#storage = storage
    this.#events = events
    this.#maxBytes = maxBytes
    this.#options = { maxMs, recentMs, onFull }
    this.#watches = new Watches(events, (listing) => this.#invalidate(listing))
  }

  // A request

  readonly list: CachedPorts['list'] =
    (area, path, { signal } = {}) =>
    async () => {
      const root = await this.#currentRoot(area)
      const place = { area, root: root?.identity ?? '', path }
      const key = keyOf(place)
      const answer = root && (this.#fresh(key) ?? this.#knownNoDirectory(root, place))
      this.#counts[answer === undefined ? 'misses' : 'hits'] += 1
      if (answer !== undefined) return answer
      return this.#flight(
        key,
        (cancelled) =>
          root === undefined
            ? this.#storage.list(area, path, { signal: cancelled })()
            : this.#readAndStore(place, cancelled),
        signal,
      )
    }

  readonly nodeAt: CachedPorts['nodeAt'] = (area, path, options) => async () => {
    const root = await this.#currentRoot(area)
    const node = root && this.#knownNode(root, { area, root: root.identity, path })
    return node ?? this.#storage.nodeAt(area, path, options)()
  }

  readonly openFile: CachedPorts['openFile'] = (area, path, options) => this.#storage.openFile(area, path, options)

  readonly figures = (): CacheFigures => ({
    ...this.#counts,
    bytes: this.#bytes(),
    watches: this.#watches.count(),
    listings: this.#cache.size,
  })

  /** Returns a cached listing as the most recently requested one. Invalidates it if it is too old. */
  #fresh(key: string): Stored['answer'] | undefined {
    const stored = this.#cache.get(key)
    if (stored === undefined) return undefined
    const now = performance.now()
    if (now - stored.storedAt > this.#options.maxMs) {
      this.#invalidate(stored.listing)
      return undefined
    }
    stored.requestedAt = now
    this.#cache.delete(key)
    this.#cache.set(key, stored)
    return stored.answer
  }

  /** Returns the root itself, or a node from the cached listing of its parent. */
  #knownNode({ node }: AreaRoot, place: Place): E.Either<Failure.FileNotFound, Entry.Node> | undefined {
    const name = StoragePath.name(place.path)
    if (name === '') return E.right(node)
    const parent = O.toUndefined(StoragePath.parent(place.path))
    const siblings = parent && this.#fresh(keyOf({ ...place, path: parent }))
    return siblings && E.fromOption(() => Failure.fileNotFound)(Listing.named(siblings.right, name))
  }

  /** Returns the failure of a listing whose directory is known to be missing, or to be a file. */
  #knownNoDirectory(root: AreaRoot, place: Place): Answer | undefined {
    const node = this.#knownNode(root, place)
    if (node === undefined || E.isLeft(node)) return node
    return node.right.type === 'file' ? E.left(Failure.typeMismatch) : undefined
  }

  /**
   * Waits until every event that was queued before the call is delivered. Then looks up the root of the area, because no event
   * reports a mount. Calls that wait for the same poll share the look-up.
   */
  async #currentRoot(area: Area.Area): Promise<AreaRoot | undefined> {
    const poll = afterNextPoll()
    await poll
    // A root that was looked up after an earlier poll may be outdated.
    if (this.#rootsPoll !== poll) this.#roots.clear()
    this.#rootsPoll = poll
    if (!this.#roots.has(area)) this.#roots.set(area, this.#events.root(area))
    return this.#roots.get(area)
  }

  // How a listing gets in

  #readAndStore(place: Place, cancelled: AbortSignal | undefined): Work<Answer> {
    this.#counts.inFlight += 1
    const reading = this.#read(place, cancelled)
    const end = reading
      .then((read) => this.#releaseOnFailure(read.listing, this.#store(read)))
      .finally(() => {
        this.#counts.inFlight -= 1
      })
    return { answer: reading.then(({ answer }) => answer), end }
  }

  /** Reads a directory, and a second time as a snapshot if it may have changed during the first read. The snapshot counts. */
  async #read(place: Place, cancelled: AbortSignal | undefined): Promise<Read> {
    const once = await this.#readWatched(this.#storage.list, place, cancelled)
    if (!once.isMixed) return once
    // Starts before `once` releases its watches, so that both use those that no event has ended.
    const again = this.#readWatched(this.#storage.listSnapshot, place, cancelled)
    this.#watches.release(once.listing)
    return again
  }

  /** Watches a directory, then reads it, so that the answer contains each change that was not reported. */
  async #readWatched(list: FsStorage['list'], place: Place, cancelled: AbortSignal | undefined): Promise<Read> {
    const began = Date.now()
    const beganAt = performance.now()
    const listing: CachedListing = { place, key: keyOf(place), isStale: false }
    const isWatched = this.#watches.depend(listing, place.path)
    // A listing that may be cached is read to its end, even after the last client has left.
    const signal = isWatched ? undefined : cancelled
    const both = Promise.all([
      list(place.area, place.path, { signal })(),
      // If the root was replaced while the storage resolved the path, the answer belongs to another directory.
      this.#isSameRoot(place),
    ])
    const [answer, isSameRoot] = await this.#releaseOnFailure(listing, both)
    // Delivers the events of changes during the read.
    await afterNextPoll()
    const subdirectories = E.isRight(answer) ? await subdirectoriesIn(answer.right.entries) : []
    // The clock may have been set back during the read, so the earlier of both times counts.
    const since = Math.min(began, Date.now() - (performance.now() - beganAt))
    const isMixed = listing.isStale || haveChangedSince(subdirectories, since)
    return { listing, answer, subdirectories, isCacheable: isWatched && isSameRoot, isMixed }
  }

  async #isSameRoot({ area, root }: Place): Promise<boolean> {
    return (await this.#currentRoot(area))?.identity === root
  }

  /** Stores a complete listing that is watched and has not changed. A later event invalidates it like any other. */
  async #store({ listing, answer, subdirectories, isCacheable }: Read): Promise<void> {
    const entries = E.isRight(answer) && answer.right.unknown === undefined ? answer.right.entries : undefined
    // A file with another hard link can be written without an event in this directory.
    if (!isCacheable || E.isLeft(answer) || !(entries instanceof PackedEntries) || entries.packed.hasHardLinks)
      return this.#watches.release(listing)
    const bytes = bytesOf(listing, entries)
    const dependencies = {
      watches: this.#watches,
      storage: this.#storage,
      makeRoom: (watchCount: number) => this.#makeRoom(listing, bytes + watchCount * watchBytes),
    }
    const dependsOnAll = await dependOnSubdirectories(dependencies, listing, subdirectories)
    const isCurrent = dependsOnAll && (await this.#isSameRoot(listing.place)) && !listing.isStale
    if (!isCurrent || this.#bytes() + bytes > this.#maxBytes) return this.#watches.release(listing)
    const now = performance.now()
    this.#cache.set(listing.key, { listing, answer, bytes, storedAt: now, requestedAt: now })
    this.#listingsBytes += bytes
  }

  /** Waits for work that uses the watches of a listing, and ends them if it rejects. */
  async #releaseOnFailure<A>(listing: CachedListing, work: Promise<A>): Promise<A> {
    try {
      return await work
    } catch (thrown) {
      this.#watches.release(listing)
      throw thrown
    }
  }

  // How a listing leaves

  /**
   * Called for every listing that depends on a change, for one that is too old, and to evict one. Its watches end, because their
   * directories may have moved.
   */
  #invalidate(listing: CachedListing): void {
    listing.isStale = true
    const stored = this.#cache.get(listing.key)
    if (stored?.listing === listing) {
      this.#cache.delete(listing.key)
      this.#listingsBytes -= stored.bytes
    }
    this.#watches.release(listing)
  }

  /**
   * Evicts listings without a recent request until another one fits. Recent ones stay, because otherwise a walk through more
   * than fits would evict everything that the next walk needs.
   */
  #makeRoom({ place }: CachedListing, bytes: number): boolean {
    const fits = (): boolean => this.#bytes() + bytes <= this.#maxBytes
    const recent = performance.now() - this.#options.recentMs
    if (bytes < this.#maxBytes)
      for (const stored of this.#cache.values()) {
        if (fits() || stored.requestedAt > recent) break
        this.#invalidate(stored.listing)
        this.#counts.evictions += 1
      }
    if (!fits()) this.#options.onFull(place, bytes)
    return fits()
  }

  #bytes(): number {
    return this.#listingsBytes + this.#watches.count() * watchBytes
  }
}
