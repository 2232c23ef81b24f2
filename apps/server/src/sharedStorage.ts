import type {
  Area,
  Entry,
  Failure,
  ListEnv,
  Listing,
  ListOptions,
  NodeAtEnv,
  Settings,
  SettingsOfEnv,
  Signal,
  StoragePath,
  UserId,
} from '@canopy/domain'
import { singleFlight } from '@canopy/scheduling'
import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import { LRUCache } from 'lru-cache'

/** Limits on the storage answers that serve later requests, nodes and listings together. */
interface MaxAge {
  /** In milliseconds; 0 disables it. */
  readonly ms: number
  readonly bytes: number
}

/** The earliest time, by `performance.now()`, of an answer that may serve this area. */
type NotBefore = (area: Area.Area) => number

/**
 * Runs at most one call per node or page at a time, for storages without change events. Requests that arrive during a call never
 * join it: they share the one call that follows. A call is cancelled when its last client leaves. An answer serves later requests
 * only within `maxAge`, and only if it is not older than the settings of its area.
 */
export const shareStorage = <S extends NodeAtEnv & ListEnv>(
  storage: S,
  maxAge: MaxAge,
  notBefore: NotBefore = () => 0,
): S => {
  const half = { ...maxAge, bytes: maxAge.bytes / 2 }
  const nodes = shareCalls<Failure.OfStorage, Entry.Node>(half, notBefore, {
    lengthOf: () => 0,
    copyOf: (node) => node,
  })
  const listings = shareCalls<Failure.OfStorage, Listing.Listing>(half, notBefore, {
    lengthOf: ({ entries }) => entries.length,
    copyOf: withoutWalk,
  })
  const nodeAt: NodeAtEnv['nodeAt'] =
    (area, path, { signal } = {}) =>
    () =>
      nodes({ key: keyOf(area, path), area, call: (signal) => storage.nodeAt(area, path, { signal }), signal })
  const list: ListEnv['list'] =
    (area, path, options = {}) =>
    () =>
      listings({
        key: keyOf(area, path, options),
        area,
        previous: options.previous,
        call: (signal) => storage.list(area, path, { ...options, signal }),
        signal: options.signal,
      })
  // Keeps the other members of the storage. All are its own properties, which a spread copies.
  return { ...storage, nodeAt, list }
}

/** When the oldest part of an answer for later requests was asked for, by `performance.now()`. Keyed by the answer. */
export const askedAt = new WeakMap<object, number>()

interface SharedCall<F, A> {
  readonly key: string
  readonly area: Area.Area
  /** The answer that this one continues, and from which it may have entries. */
  readonly previous?: object | undefined
  readonly call: (signal: Signal | undefined) => TE.TaskEither<F, A>
  readonly signal?: Signal | undefined
}

// Measured sizes of an answer, of an entry of a listing, and of a UTF-16 unit of a key.
const answerBytes = 400
const entryBytes = 250
const unitBytes = 2

interface Cacheable<A> {
  /** Returns the number of entries. */
  readonly lengthOf: (answer: A) => number
  /** Returns the object to cache instead of the answer. */
  readonly copyOf: (answer: A) => A
}

const shareCalls = <F, A extends object>(
  { ms, bytes }: MaxAge,
  notBefore: NotBefore,
  { lengthOf, copyOf }: Cacheable<A>,
) => {
  const shared = singleFlight<E.Either<F, A>>()
  const cached = new LRUCache<string, E.Right<A>>({
    ttl: Math.max(ms, 1),
    maxSize: Math.max(Math.floor(bytes), 1),
    sizeCalculation: ({ right }, key) => answerBytes + unitBytes * key.length + entryBytes * lengthOf(right),
  })
  const start = (key: string, call: TE.TaskEither<F, A>, previous: object | undefined) => {
    const startedAt = (previous && askedAt.get(previous)) ?? performance.now()
    const answer = call().then((result) => {
      if (ms > 0 && E.isRight(result)) {
        const copy = copyOf(result.right)
        for (const answer of [result.right, copy]) askedAt.set(answer, startedAt)
        cached.set(key, E.right(copy) as E.Right<A>, { ttl: ms - (performance.now() - startedAt) })
      }
      return result
    })
    return { answer, end: answer }
  }
  const usable = (key: string, area: Area.Area): E.Right<A> | undefined => {
    const result = cached.get(key)
    return result !== undefined && (askedAt.get(result.right) ?? 0) >= notBefore(area) ? result : undefined
  }
  return async ({ key, area, previous, call, signal }: SharedCall<F, A>): Promise<E.Either<F, A>> =>
    usable(key, area) ?? shared(key, (cancelled) => start(key, call(cancelled), previous), signal)
}

const listingNumbers = new WeakMap<Listing.Listing, number>()
let lastListingNumber = 0

/** Identifies a listing in a key, because two walks share a directory only below the same listing, and a page only after it. */
const numberOf = (listing: Listing.Listing): number => {
  const known = listingNumbers.get(listing)
  if (known !== undefined) return known
  lastListingNumber += 1
  listingNumbers.set(listing, lastListingNumber)
  return lastListingNumber
}

/**
 * Returns a copy with the same number. An adapter that reads ahead finds its walk by the listing that it returned, so a cached
 * listing would keep the whole walk alive.
 */
const withoutWalk = (listing: Listing.Listing): Listing.Listing => {
  const copy = { ...listing }
  listingNumbers.set(copy, numberOf(listing))
  return copy
}

/** Builds a key from everything that decides the answer of the storage. */
const keyOf = (
  { location, isMountPoint }: Area.Area,
  path: StoragePath.StoragePath,
  { after, minEntries, parent, previous }: ListOptions = {},
): string => {
  const numbers = [parent, previous].map((listing) => listing && numberOf(listing))
  return JSON.stringify([location, isMountPoint, path, after, minEntries, ...numbers])
}

interface Seen {
  readonly settings: WeakRef<Settings.Settings>
  /** By `performance.now()`. */
  readonly since: number
}

const maxAccounts = 10_000

/** Records when this process first saw the current settings of each account. Older storage answers must not be used with them. */
export class SettingsSeen {
  readonly #seen = new LRUCache<UserId.UserId, Seen>({ max: maxAccounts })

  /** Returns a time by `performance.now()`; infinite for an account without known settings. */
  since(owner: UserId.UserId): number {
    return this.#seen.get(owner)?.since ?? Number.POSITIVE_INFINITY
  }

  /** Wraps the port, and remembers every value that it returns. */
  observing(settingsOf: SettingsOfEnv['settingsOf']): SettingsOfEnv['settingsOf'] {
    return (owner) => async () => {
      const answer = await settingsOf(owner)()
      if (E.isRight(answer) && this.#seen.get(owner)?.settings.deref() !== answer.right)
        this.#seen.set(owner, { settings: new WeakRef(answer.right), since: performance.now() })
      return answer
    }
  }
}
