import { type Entry, Failure, Listing, StoragePath } from '@canopy/domain'
import { afterNextPoll, singleFlight, type Work } from '@canopy/scheduling'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { FsStorage } from '../read/fsStorage.js'
import { PackedEntries } from '../read/PackedEntries.js'
import type { AreaRoot } from '../resolve/areas.js'
import { AreaRoots } from './AreaRoots.js'
import type { ChangeEvents } from './changeEvents.js'
import { changedSince, dependOnChildren, directoriesIn } from './children.js'
import { keyOf, type Place, type Reading } from './Reading.js'
import { Watches } from './Watches.js'

// Why a listing is never stale:
// - The kernel queues a change event before the call that makes the change returns.
// - Before the read, watches begin on the directory and on each step of its path (Watches.ts). After the read comes a poll, which
//   delivers the events of changes during the read. A listing that changed meanwhile is not stored.
// - A listing contains the modification times of its subdirectories. Each subdirectory is watched, then looked up again and
//   compared (children.ts).
// - A change event invalidates every listing that depends on its directory. If events may be lost, all are (changeEvents.ts).
// - A request waits until the events that were queued before it are delivered. Then it looks up the identity of the area's root,
//   which is part of the key, because a mount raises no event (AreaRoots.ts). A listing is stored only if the root stayed the same.
// - A request never joins a read that has already begun (singleFlight.ts).
// Two changes raise no event and show after `maxMs`: through a memory map, and through a hard link that is made later. A mount
// below the root shows within a second: its number is part of the root's identity, from a table that is read once a second.
// A listing leaves the cache when it is invalidated, is older than `maxMs`, or makes room for another.

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

type Listed = E.Either<Failure.OfStorage, Listing.Listing>

interface ReadResult {
  readonly reading: Reading
  readonly listed: Listed
  /** Whether the root stayed the same and every change is reported. */
  readonly isCacheable: boolean
  /** Whether the listing may mix several moments. */
  readonly isMixed: boolean
}

interface Cached {
  readonly reading: Reading
  readonly listed: E.Right<Listing.Listing>
  readonly bytes: number
  readonly storedAt: number
  requestedAt: number
}

// Measured: a UTF-16 unit of a key; a watch with its handle; a listing with its entries in the maps.
const unitBytes = 2
const watchBytes = 3584
const listingBytes = 1024

/** Returns an upper estimate of the memory of a listing, without its watches. */
const bytesOf = ({ key }: Reading, entries: PackedEntries): number =>
  listingBytes + key.length * unitBytes + entries.bytes

class CachedListings implements CachedPorts {
  readonly #storage: FsStorage
  readonly #maxBytes: number
  readonly #options: Required<CacheOptions>
  readonly #watches: Watches
  readonly #flight = singleFlight<Listed>((key) => this.#fresh(key))
  /** In the order of the latest requests, oldest first. */
  readonly #cache = new Map<string, Cached>()
  readonly #roots: AreaRoots
  #listingsBytes = 0
  readonly #counts = { inFlight: 0, hits: 0, misses: 0, evictions: 0 }

  constructor(
    storage: FsStorage,
    events: ChangeEvents,
    maxBytes: number,
    { maxMs = 600_000, recentMs = 60_000, onFull = () => undefined }: CacheOptions,
  ) {
    this.#storage = storage
    this.#roots = new AreaRoots(events)
    this.#maxBytes = maxBytes
    this.#options = { maxMs, recentMs, onFull }
    this.#watches = new Watches(events, (reading) => this.#invalidate(reading))
  }

  // A request

  readonly list: CachedPorts['list'] =
    (area, path, { signal } = {}) =>
    async () => {
      const root = await this.#roots.current(area)
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
    const root = await this.#roots.current(area)
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
  #fresh(key: string): Cached['listed'] | undefined {
    const cached = this.#cache.get(key)
    if (cached === undefined) return undefined
    const now = performance.now()
    if (now - cached.storedAt > this.#options.maxMs) {
      this.#invalidate(cached.reading)
      return undefined
    }
    cached.requestedAt = now
    this.#cache.delete(key)
    this.#cache.set(key, cached)
    return cached.listed
  }

  /** Returns the root itself, or a node from the cached listing of its parent. */
  #knownNode({ node }: AreaRoot, place: Place): E.Either<Failure.FileNotFound, Entry.Node> | undefined {
    const name = StoragePath.name(place.path)
    if (name === '') return E.right(node)
    const parent = O.toUndefined(StoragePath.parent(place.path))
    const listed = parent && this.#fresh(keyOf({ ...place, path: parent }))
    return listed && E.fromOption(() => Failure.fileNotFound)(Listing.named(listed.right, name))
  }

  /** Returns the failure of a listing whose directory is known to be missing, or to be a file. */
  #knownNoDirectory(root: AreaRoot, place: Place): Listed | undefined {
    const node = this.#knownNode(root, place)
    if (node === undefined || E.isLeft(node)) return node
    return node.right.type === 'file' ? E.left(Failure.typeMismatch) : undefined
  }

  // How a listing gets in

  #readAndStore(place: Place, cancelled: AbortSignal | undefined): Work<Listed> {
    this.#counts.inFlight += 1
    const reading = this.#read(place, cancelled)
    const end = reading
      .then((read) => this.#releaseOnFailure(read.reading, this.#store(read)))
      .finally(() => {
        this.#counts.inFlight -= 1
      })
    return { answer: reading.then(({ listed }) => listed), end }
  }

  /** Reads a directory, and a second time as a snapshot if it may have changed during the first read. The snapshot counts. */
  async #read(place: Place, cancelled: AbortSignal | undefined): Promise<ReadResult> {
    const once = await this.#readWatched(this.#storage.list, place, cancelled)
    if (!once.isMixed) return once
    // Starts before `once` releases its watches, so that both use those that no event has ended.
    const again = this.#readWatched(this.#storage.listSnapshot, place, cancelled)
    this.#watches.release(once.reading)
    return again
  }

  /** Watches a directory, then reads it, so that the listing contains each change that was not reported. */
  async #readWatched(list: FsStorage['list'], place: Place, cancelled: AbortSignal | undefined): Promise<ReadResult> {
    const began = Date.now()
    const beganAt = performance.now()
    const reading: Reading = { place, key: keyOf(place), stale: false, directories: [], watches: [] }
    const isWatched = this.#watches.depend(reading, place.path)
    // A listing that may be cached is read to its end, even after the last client has left.
    const signal = isWatched ? undefined : cancelled
    const both = Promise.all([
      list(place.area, place.path, { signal })(),
      // If the root was replaced while the storage resolved the path, the listing belongs to another directory.
      this.#roots.isCurrent(place),
    ])
    const [listed, isSameRoot] = await this.#releaseOnFailure(reading, both)
    // Delivers the events of changes during the read.
    await afterNextPoll()
    if (E.isRight(listed)) reading.directories = await directoriesIn(listed.right.entries)
    // The clock may have been set back during the read, so the earlier of both times counts.
    const since = Math.min(began, Date.now() - (performance.now() - beganAt))
    const isMixed = reading.stale || changedSince(reading.directories, since)
    return { reading, listed, isCacheable: isWatched && isSameRoot, isMixed }
  }

  /** Stores a complete listing that is watched and has not changed. A later event invalidates it like any other. */
  async #store({ reading, isCacheable, listed }: ReadResult): Promise<void> {
    const entries = E.isRight(listed) && listed.right.unknown === undefined ? listed.right.entries : undefined
    // A file with another hard link can be written without an event in this directory.
    if (!isCacheable || E.isLeft(listed) || !(entries instanceof PackedEntries) || entries.packed.hasHardLinks)
      return this.#watches.release(reading)
    const bytes = bytesOf(reading, entries)
    const hasRoom = (newWatches: number): boolean => this.#makeRoom(reading, bytes + newWatches * watchBytes)
    const dependsOnAll = await dependOnChildren(this.#watches, this.#storage, reading, hasRoom)
    const isSameRoot = dependsOnAll && (await this.#roots.isCurrent(reading.place))
    const isGood = isSameRoot && !reading.stale && this.#bytes() + bytes <= this.#maxBytes
    if (!isGood) return this.#watches.release(reading)
    reading.directories = []
    const now = performance.now()
    this.#cache.set(reading.key, { reading, listed, bytes, storedAt: now, requestedAt: now })
    this.#listingsBytes += bytes
  }

  /** Waits for work that uses the watches of a reading, and ends them if it rejects. */
  async #releaseOnFailure<A>(reading: Reading, work: Promise<A>): Promise<A> {
    try {
      return await work
    } catch (thrown) {
      this.#watches.release(reading)
      throw thrown
    }
  }

  // How a listing leaves

  /** Called for every reading that depends on a change, and to evict one. Its watches end, because their directories may have moved. */
  #invalidate(reading: Reading): void {
    reading.stale = true
    const cached = this.#cache.get(reading.key)
    if (cached?.reading === reading) {
      this.#cache.delete(reading.key)
      this.#listingsBytes -= cached.bytes
    }
    this.#watches.release(reading)
  }

  /**
   * Evicts listings without a recent request until another one fits. Recent ones stay, because otherwise a walk through more
   * than fits would evict everything that the next walk needs.
   */
  #makeRoom({ place }: Reading, bytes: number): boolean {
    const fits = (): boolean => this.#bytes() + bytes <= this.#maxBytes
    const recent = performance.now() - this.#options.recentMs
    if (bytes < this.#maxBytes)
      for (const cached of this.#cache.values()) {
        if (fits() || cached.requestedAt > recent) break
        this.#invalidate(cached.reading)
        this.#counts.evictions += 1
      }
    if (!fits()) this.#options.onFull(place, bytes)
    return fits()
  }

  #bytes(): number {
    return this.#listingsBytes + this.#watches.count() * watchBytes
  }
}
