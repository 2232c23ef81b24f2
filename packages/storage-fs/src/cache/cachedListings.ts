import { type Area, type Entry, Failure, Listing, StoragePath } from '@canopy/domain'
import { afterNextPoll, singleFlight, type Work } from '@canopy/scheduling'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { FsStorage, StoragePorts } from '../fsStorage.js'
import { PackedEntries } from '../read/PackedEntries.js'
import type { AreaRoot } from '../resolve/areas.js'
import type { StorageResult } from '../StorageResult.js'
import type { ChangeEvents } from './changeEvents.js'
import { bytesOf, type CacheOptions, ListingStore } from './ListingStore.js'
import { dependOnSubdirectories } from './subdirectories.js'
import { keyOf, type Place } from './Watches.js'
import { type WatchedRead, watchedRead } from './watchedRead.js'

export type { CacheOptions } from './ListingStore.js'

// In: `list` looks up the root of the area, and reads the directory while it is watched (watchedRead.ts). The answer goes on to the
// client, and beside it the listing is stored (`#storeIfCurrent`): its subdirectories are watched, then it enters the cache.
// Out: `#invalidate` of ListingStore.ts: on a change event, at the first request after `maxMs`, or to make room for another.
// Keys contain the identity of the root: its device, its inode and the mounts below it. After a change of that identity no request
// finds the earlier listings, which leave by an event or to make room.
//
// Changes without an event, such as through a hard link that was made later, show within `maxMs` of the storing; docs/limits.md lists
// them. A mount or unmount below the root shows within a second. Why a listing is never stale after any other change:
// 1. The kernel queues a change event before the call that makes the change returns.
// 2. Before the read, watches begin: on `/`, on each step of the path, and on the directory (Watches.ts). A listing with a missing
//    watch is not stored, unless that step is above the area and its replacement changes the identity of the root.
//    After the read, a poll of the event loop delivers the events of changes during it. If one has invalidated the listing, or if a
//    subdirectory changed meanwhile, a second read takes a snapshot: it repeats until two readings are equal, or 400 ms are over.
//    A change during the second read keeps the listing out of the cache (`#storeIfCurrent`).
// 3. A listing contains the modification times of its subdirectories, which change without an event in their parent. Each of them is
//    watched, then looked up again and compared (subdirectories.ts).
// 4. A change event invalidates the listings that depend on its directory: its own, and all below the changed entry (`#changed` of
//    Watches.ts). If events may be lost, all listings are invalidated (`#reportToAll` of changeEvents.ts).
// 5. A request waits until the events that were queued before it are delivered (`afterNextPoll` of @canopy/scheduling). Then it
//    looks up the root (`CurrentRoots` below), because a mount raises no event. A listing is stored only if the root stayed the same.
// 6. A request never joins a read that has already begun: it waits until the storing of that one has ended, and then finds it in the
//    cache or reads again (`singleFlight` of @canopy/scheduling).
// `file not found` and `type mismatch` are answered from the cached listing of the parent directory.

/** Totals since the start of the cache, and present values. */
export interface CacheFigures {
  readonly bytes: number
  readonly watches: number
  readonly listings: number
  /** Directories that are being read, or stored after the answer. */
  readonly inFlight: number
  /** Calls of `list` answered from memory at once, including each revalidation of a cached response. */
  readonly hits: number
  /** All other calls of `list`, even if another call stores the listing while they wait. */
  readonly misses: number
  /** Listings that were evicted to make room. */
  readonly evictions: number
}

export type CachedPorts = StoragePorts & { readonly figures: () => CacheFigures }

/**
 * Caches listings as shared immutable values until a change event invalidates them. An answer includes every change that was
 * complete before the request, except mounts and changes without an event, as above. Stored listings and their watches take at most
 * `maxBytes` of memory.
 */
export const cachedListings = (
  storage: FsStorage,
  events: ChangeEvents,
  maxBytes: number,
  options: CacheOptions = {},
): CachedPorts => new CachedListings(storage, events, maxBytes, options)

/** The roots of areas. Requests that wait for the same poll of the event loop share a look-up. */
class CurrentRoots {
  readonly #events: Pick<ChangeEvents, 'root'>
  readonly #roots = new Map<Area.Area, AreaRoot | undefined>()
  #poll: Promise<void> | undefined

  constructor(events: Pick<ChangeEvents, 'root'>) {
    this.#events = events
  }

  /**
   * Waits until every event that was queued before the call is delivered. Then looks up the root of the area, because no event
   * reports a mount. Calls that wait for the same poll share the look-up.
   */
  async rootAfterNextPoll(area: Area.Area): Promise<AreaRoot | undefined> {
    const poll = afterNextPoll()
    await poll
    // A root that was looked up after an earlier poll may be outdated.
    if (this.#poll !== poll) this.#roots.clear()
    this.#poll = poll
    if (!this.#roots.has(area)) this.#roots.set(area, this.#events.root(area))
    return this.#roots.get(area)
  }

  /** Waits like `rootAfterNextPoll`, then reports whether the area still has the same root. */
  async isSameAfterNextPoll({ area, root }: Place): Promise<boolean> {
    return (await this.rootAfterNextPoll(area))?.identity === root
  }
}

type ListResult = StorageResult<Listing.Listing>

class CachedListings implements CachedPorts {
  readonly #storage: FsStorage
  readonly #roots: CurrentRoots
  readonly #store: ListingStore
  readonly #flight = singleFlight<ListResult>((key) => this.#store.getIfYoung(key))
  readonly #counts = { inFlight: 0, hits: 0, misses: 0 }

  constructor(storage: FsStorage, events: ChangeEvents, maxBytes: number, options: CacheOptions) {
    this.#storage = storage
    this.#roots = new CurrentRoots(events)
    this.#store = new ListingStore(events, maxBytes, options)
  }

  readonly list: CachedPorts['list'] =
    (area, path, { signal } = {}) =>
    async () => {
      const root = await this.#roots.rootAfterNextPoll(area)
      const place = { area, root: root?.identity ?? '', path }
      const key = keyOf(place)
      const answer = root && (this.#store.getIfYoung(key) ?? this.#failureByParent(root, place))
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
    const root = await this.#roots.rootAfterNextPoll(area)
    const node = root && this.#knownNode(root, { area, root: root.identity, path })
    return node ?? this.#storage.nodeAt(area, path, options)()
  }

  readonly openFile: CachedPorts['openFile'] = (area, path, options) => this.#storage.openFile(area, path, options)

  readonly figures = (): CacheFigures => ({
    ...this.#counts,
    evictions: this.#store.evictions,
    bytes: this.#store.bytes,
    watches: this.#store.watches.count(),
    listings: this.#store.size,
  })

  /** Returns the root itself, or a node from the cached listing of its parent. */
  #knownNode({ node }: AreaRoot, place: Place): E.Either<Failure.FileNotFound, Entry.Node> | undefined {
    const name = StoragePath.name(place.path)
    if (name === '') return E.right(node)
    const parent = O.toUndefined(StoragePath.parent(place.path))
    const siblings = parent && this.#store.getIfYoung(keyOf({ ...place, path: parent }))
    return siblings && E.fromOption(() => Failure.fileNotFound)(Listing.named(siblings.right, name))
  }

  /** Returns the failure of a listing whose directory is missing or a file, according to the cached listing of its parent. */
  #failureByParent(root: AreaRoot, place: Place): ListResult | undefined {
    const node = this.#knownNode(root, place)
    if (node === undefined || E.isLeft(node)) return node
    return node.right.type === 'file' ? E.left(Failure.typeMismatch) : undefined
  }

  /** The storing begins together with the answer, which does not wait for it. */
  #readAndStore(place: Place, cancelled: AbortSignal | undefined): Work<ListResult> {
    this.#counts.inFlight += 1
    const { watches } = this.#store
    const isSameRoot = () => this.#roots.isSameAfterNextPoll(place)
    const reading = watchedRead({ storage: this.#storage, watches, isSameRoot }, place, cancelled)
    const end = reading
      .then((read) => watches.releaseOnFailure(read.dependent, this.#storeIfCurrent(read)))
      .finally(() => {
        this.#counts.inFlight -= 1
      })
    return { answer: reading.then(({ answer }) => answer), end }
  }

  /** Stores a complete listing that is watched and has not changed. A later event invalidates it like any other. */
  async #storeIfCurrent({ dependent, answer, subdirectories, isWatchedThroughout }: WatchedRead): Promise<void> {
    const { watches } = this.#store
    const entries = E.isRight(answer) && answer.right.unknown === undefined ? answer.right.entries : undefined
    // A file with another hard link can be written without an event in this directory.
    if (!isWatchedThroughout || E.isLeft(answer) || !(entries instanceof PackedEntries) || entries.packed.hasHardLinks)
      return watches.release(dependent)
    const bytes = bytesOf(dependent, entries)
    const dependencies = {
      watches,
      storage: this.#storage,
      makeRoom: (watchCount: number) => this.#store.makeRoom(dependent, bytes, watchCount),
    }
    const dependsOnAll = await dependOnSubdirectories(dependencies, dependent, subdirectories)
    const isCurrent = dependsOnAll && (await this.#roots.isSameAfterNextPoll(dependent.place)) && !dependent.isStale
    if (isCurrent) this.#store.put(dependent, answer, bytes)
    else watches.release(dependent)
  }
}
