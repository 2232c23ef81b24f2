import { type Entry, Failure, type ListEnv, Listing, type NodeAtEnv, StoragePath } from '@canopy/domain'
import { oneAtATime, polled, type Work } from '@canopy/event-loop'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import { LRUCache } from 'lru-cache'
import { bytesOf } from './bytesOf.js'
import { changedSince } from './changedSince.js'
import { leanOnChildren, leanOnPath } from './leaning.js'
import type { AreaRoot, Notices } from './Notices.js'
import { keyOf, type Place } from './Place.js'
import type { Reading } from './Reading.js'
import { rootsSeen } from './rootsSeen.js'
import type { Storage } from './Storage.js'
import { stillStands } from './stillStands.js'
import { watching } from './watching.js'

type Listed = E.Either<Failure.OfStorage, Listing.Listing>

interface Read {
  readonly reading: Reading
  /** Whether a change would have been noticed. */
  readonly isWatched: boolean
  readonly listed: Listed
  /** Whether it may tell of several moments. */
  readonly isMixed: boolean
}

/** A change of which no notice comes (by another hard link, through a memory map) is seen after so many milliseconds. */
const longestMs = 600_000

/**
 * The same ports over listings that are kept in memory, shared as immutable values, and dropped when a notice says that
 * what they tell has changed. Never stale: a change that was complete before a question was asked is in its answer; if no
 * notice comes of it (through a memory map, say), within `maxMs` milliseconds. What is kept takes `maxBytes` bytes of
 * memory at most.
 */
export const keepListings = (
  storage: Storage,
  notices: Notices,
  maxBytes: number,
  maxMs: number = longestMs,
): NodeAtEnv & ListEnv => {
  const kept = new LRUCache<string, Reading>({
    maxSize: maxBytes,
    ttl: maxMs,
    ttlResolution: 100,
    dispose: (reading) => watches.release(reading),
  })

  /** It leans on nothing any more: what was watched for it may not be what stands there now. */
  const drop = (reading: Reading): void => {
    reading.stale = true
    kept.delete(reading.key)
    watches.release(reading)
  }

  const watches = watching(notices, drop)
  const rootIn = rootsSeen(notices)

  const known = (key: string): Listed | undefined => {
    const listing = kept.get(key)?.listing
    return listing === undefined ? undefined : E.right(listing)
  }

  /** Nothing is watched for work that failed. */
  const orLetGo = async <A>(reading: Reading, work: () => Promise<A>): Promise<A> => {
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
    return orLetGo(reading, async () => {
      const isWatched = leanOnPath(watches, reading)
      // By then the adapter has found the directory, as a rule: below what stands there, or below something else.
      const isReadHere = polled().then(() => stillStands(notices, place))
      const [listed, isHere] = await Promise.all([list(place.area, place.path)(), isReadHere])
      await polled()
      // By the clock as it is now, too: it may have been set back since.
      const since = Math.min(began, Date.now() - (performance.now() - beganHere))
      const isMixed = reading.stale || (E.isRight(listed) && (await changedSince(listed.right, since)))
      return { reading, isWatched: isWatched && isHere, listed, isMixed }
    })
  }

  /** What changes meanwhile is read once more, at rest. */
  const read = async (place: Place): Promise<Read> => {
    const once = await readBy(storage.list, place)
    if (!once.isMixed) return once
    // It leans on the same watches before the first one lets them go.
    const again = readBy(storage.listAtRest, place)
    watches.release(once.reading)
    return again
  }

  /** Keeps a listing if no notice comes until every notice of the time of its reading has been delivered. */
  const keep = async ({ reading, isWatched, listed }: Read): Promise<void> => {
    if (!isWatched || E.isLeft(listed) || listed.right.unknown !== undefined) return watches.release(reading)
    reading.listing = listed.right
    const covered = notices.covers(listed.right) && (await leanOnChildren(watches, storage, reading))
    await polled()
    const size = bytesOf(reading)
    if (covered && !reading.stale && stillStands(notices, reading.place) && size <= maxBytes)
      kept.set(reading.key, reading, { size })
    else watches.release(reading)
  }

  const readAndKeep = (place: Place) => (): Work<Listed> => {
    const reading = read(place)
    return {
      answer: reading.then(({ listed }) => listed),
      end: reading.then((read) => orLetGo(read.reading, () => keep(read))),
    }
  }

  const shared = oneAtATime(known)

  /** Known without a look at it: the root itself, and what the listing of the directory above tells, where that is kept. */
  const knownNode = ({ node }: AreaRoot, place: Place): O.Option<E.Either<Failure.FileNotFound, Entry.Node>> => {
    const name = StoragePath.name(place.path)
    if (name === '') return O.some(E.right(node))
    return pipe(
      StoragePath.parent(place.path),
      O.flatMap((above) => O.fromNullable(kept.get(keyOf({ ...place, path: above }))?.listing)),
      O.map((listing) => Listing.named(listing, name)),
      O.map(E.fromOption(() => Failure.fileNotFound)),
    )
  }

  /** Nobody looks for what is known not to be there, or to be a file. */
  const knownNoDirectory = (root: AreaRoot, place: Place): Listed | undefined =>
    pipe(
      knownNode(root, place),
      O.map(E.flatMap(({ type }) => (type === 'dir' ? E.right(type) : E.left(Failure.typeMismatch)))),
      O.filter(E.isLeft),
      O.toUndefined,
    )

  const list: ListEnv['list'] = (area, path) => async () => {
    const round = polled()
    await round
    const root = rootIn(round, area)
    if (O.isNone(root)) return storage.list(area, path)()
    const place = { area, root: root.value.identity, path }
    const key = keyOf(place)
    return known(key) ?? knownNoDirectory(root.value, place) ?? shared(key, readAndKeep(place))
  }

  const nodeAt: NodeAtEnv['nodeAt'] = (area, path) => async () => {
    const round = polled()
    await round
    return pipe(
      rootIn(round, area),
      O.flatMap((root) => knownNode(root, { area, root: root.identity, path })),
      O.getOrElseW(() => storage.nodeAt(area, path)()),
    )
  }

  return { list, nodeAt }
}
