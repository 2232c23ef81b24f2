import type { Listing } from '@canopy/domain'
import type * as E from 'fp-ts/lib/Either.js'
import type { PackedEntries } from '../read/PackedEntries.js'
import type { ChangeEvents } from './changeEvents.js'
import { type Dependent, type Place, Watches } from './Watches.js'

export interface CacheOptions {
  /** A change without an event shows at the first request after this time since the storing. */
  readonly maxMs?: number
  /** A listing that was requested within this time is not evicted. */
  readonly recentMs?: number
  /** Called each time a listing does not fit, with the bytes that it needs. */
  readonly onFull?: (place: Pick<Place, 'area' | 'path'>, bytes: number) => void
}

/** A listing in memory. */
interface Stored {
  readonly dependent: Dependent
  readonly listing: E.Right<Listing.Listing>
  readonly bytes: number
  readonly storedAt: number
  requestedAt: number
}

// Measured: a UTF-16 unit of a key or a name, which takes one byte if the whole text is Latin; an entry without its name; a watch with
// its handle; a listing with its entries in the maps.
const unitBytes = 2
const entryBytes = 20
const watchBytes = 3584
const listingBytes = 1024

/** Returns an upper estimate of the memory of a listing, without its watches. */
export const bytesOf = ({ key }: Dependent, { packed, length }: PackedEntries): number =>
  listingBytes + (key.length + packed.names.length) * unitBytes + length * entryBytes

/** The listings in memory, and the watches on which they depend. Both together take at most `maxBytes`. */
export class ListingStore {
  readonly watches: Watches
  /** The listings that were evicted to make room. */
  evictions = 0
  readonly #maxBytes: number
  readonly #options: Required<CacheOptions>
  /** In the order of the latest requests, oldest first. */
  readonly #listings = new Map<string, Stored>()
  #listingsBytes = 0

  constructor(
    events: ChangeEvents,
    maxBytes: number,
    { maxMs = 600_000, recentMs = 60_000, onFull = () => undefined }: CacheOptions,
  ) {
    this.watches = new Watches(events, (dependent) => this.#invalidate(dependent))
    this.#maxBytes = maxBytes
    this.#options = { maxMs, recentMs, onFull }
  }

  get size(): number {
    return this.#listings.size
  }

  get bytes(): number {
    return this.#listingsBytes + this.watches.count() * watchBytes
  }

  /** Returns a listing and makes it the most recently requested one; invalidates it instead if it is too old. */
  getIfYoung(key: string): Stored['listing'] | undefined {
    const stored = this.#listings.get(key)
    if (stored === undefined) return undefined
    const now = performance.now()
    if (now - stored.storedAt > this.#options.maxMs) {
      this.#invalidate(stored.dependent)
      return undefined
    }
    stored.requestedAt = now
    this.#listings.delete(key)
    this.#listings.set(key, stored)
    return stored.listing
  }

  /**
   * Stores a listing. Ends its watches instead if it no longer fits, because other listings were stored after `makeRoom`. The key
   * has no other listing, because `singleFlight` prevents overlapping reads.
   */
  put(dependent: Dependent, listing: Stored['listing'], bytes: number): void {
    if (this.bytes + bytes > this.#maxBytes) {
      this.watches.release(dependent)
      return
    }
    const now = performance.now()
    this.#listings.set(dependent.key, { dependent, listing, bytes, storedAt: now, requestedAt: now })
    this.#listingsBytes += bytes
  }

  /**
   * Evicts listings without a recent request until another one and its new watches fit. Recent ones stay, because otherwise a
   * walk through more than fits would evict everything that the next walk needs.
   */
  makeRoom({ place }: Dependent, ownBytes: number, watchCount: number): boolean {
    const bytes = ownBytes + watchCount * watchBytes
    const fits = (): boolean => this.bytes + bytes <= this.#maxBytes
    const recent = performance.now() - this.#options.recentMs
    if (bytes < this.#maxBytes)
      for (const stored of this.#listings.values()) {
        if (fits() || stored.requestedAt > recent) break
        this.#invalidate(stored.dependent)
        this.evictions += 1
      }
    if (!fits()) this.#options.onFull(place, bytes)
    return fits()
  }

  /**
   * Marks a listing as stale, cached or not, takes it out of the cache, and releases its watches: after a change, when it is too old,
   * or to make room.
   */
  #invalidate(dependent: Dependent): void {
    dependent.isStale = true
    const stored = this.#listings.get(dependent.key)
    if (stored?.dependent === dependent) {
      this.#listings.delete(dependent.key)
      this.#listingsBytes -= stored.bytes
    }
    this.watches.release(dependent)
  }
}
