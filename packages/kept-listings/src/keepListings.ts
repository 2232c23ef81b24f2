import { type Area, Entry, type Failure, type ListEnv, type NodeAtEnv, StoragePath } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import { LRUCache } from 'lru-cache'
import { bytesOf } from './bytesOf.js'
import { leanOnChildren, leanOnPath } from './leaning.js'
import type { Notices } from './Notices.js'
import type { Reading } from './Reading.js'
import { rootsSeen } from './rootsSeen.js'
import { turns } from './turns.js'
import { keyOf, watching } from './watching.js'

type StoragePorts = NodeAtEnv & ListEnv
type StorageFailure = Failure.FileNotFound | Failure.TypeMismatch | Failure.External
type Listed = E.Either<StorageFailure, Entry.Listing>

interface Flight {
  /** The latest attempt. */
  reading: Reading
  readonly listed: Promise<Listed>
}

/** A directory that changes while it is read is read again, so that an answer is one state of it, and not a mixture. */
const mostAttempts = 8

const newReading = (key: string): Reading => ({ key, stale: false, listing: undefined, watches: [] })

/**
 * The same ports over listings that are kept in memory, shared as immutable values, and dropped when a notice says that
 * what they tell has changed. Never stale: a change that was complete before a question was asked is in its answer.
 */
export const keepListings = (storage: StoragePorts, notices: Notices, maxBytes: number): StoragePorts => {
  const turn = turns()
  const flights = new Map<string, Flight>()
  const kept = new LRUCache<string, Reading>({ maxSize: maxBytes, dispose: (reading) => watches.release(reading) })

  const drop = (reading: Reading): void => {
    reading.stale = true
    if (kept.peek(reading.key) === reading) kept.delete(reading.key)
  }

  const dropArea = (area: Area.Area): void => {
    const inArea = keyOf(area, StoragePath.root)
    for (const reading of [...kept.values(), ...[...flights.values()].map((flight) => flight.reading)])
      if (reading.key.startsWith(inArea)) drop(reading)
  }

  const watches = watching(notices, drop)
  const rootIn = rootsSeen(notices, dropArea)

  /** Keeps a listing if no notice comes until every notice of the time of its reading has been delivered. */
  const keep = async (reading: Reading, area: Area.Area, path: StoragePath.StoragePath, listing: Entry.Listing) => {
    reading.listing = listing
    const covered = notices.covers(listing) && (await leanOnChildren(watches, storage, reading, area, path))
    await turn()
    const size = bytesOf(reading)
    if (covered && !reading.stale && size <= maxBytes) kept.set(reading.key, reading, { size })
    else watches.release(reading)
  }

  const land = (flight: Flight): void => {
    if (flights.get(flight.reading.key) === flight) flights.delete(flight.reading.key)
  }

  const attempt = async (
    flight: Flight,
    area: Area.Area,
    path: StoragePath.StoragePath,
    left: number,
  ): Promise<Listed> => {
    const { reading } = flight
    const isWatched = leanOnPath(watches, reading, area, path)
    const listed = await storage.list(area, path)()
    await turn()
    if (isWatched && reading.stale && left > 1) {
      flight.reading = newReading(reading.key)
      watches.release(reading)
      return attempt(flight, area, path, left - 1)
    }
    if (isWatched && E.isRight(listed)) {
      void keep(reading, area, path, listed.right).finally(() => land(flight))
    } else {
      watches.release(reading)
      land(flight)
    }
    return listed
  }

  const begin = (area: Area.Area, path: StoragePath.StoragePath, key: string): Promise<Listed> => {
    const flight: Flight = {
      reading: newReading(key),
      listed: Promise.resolve().then(() => attempt(flight, area, path, mostAttempts)),
    }
    flights.set(key, flight)
    return flight.listed.catch((thrown: unknown) => {
      watches.release(flight.reading)
      land(flight)
      throw thrown
    })
  }

  const list: ListEnv['list'] = (area, path) => async () => {
    const round = turn()
    await round
    if (O.isNone(rootIn(round, area))) return storage.list(area, path)()
    const key = keyOf(area, path)
    const known = kept.get(key)
    if (known?.listing !== undefined) return E.right(known.listing)
    // Whoever joins a reading of which nothing is stale yet gets what they would read themselves.
    const flight = flights.get(key)
    return flight !== undefined && !flight.reading.stale ? flight.listed : begin(area, path, key)
  }

  const nodeAt: NodeAtEnv['nodeAt'] = (area, path) => async () => {
    const round = turn()
    await round
    const root = rootIn(round, area)
    const name = StoragePath.name(path)
    const known = pipe(
      root,
      O.flatMap((stands) =>
        name === ''
          ? O.some<Entry.Node>(stands.node)
          : pipe(
              parentListing(area, path),
              O.flatMap((listing) => Entry.named(listing, name)),
            ),
      ),
    )
    return O.isSome(known) ? E.right(known.value) : storage.nodeAt(area, path)()
  }

  const parentListing = (area: Area.Area, path: StoragePath.StoragePath): O.Option<Entry.Listing> =>
    pipe(
      StoragePath.parent(path),
      O.flatMap((parent) => O.fromNullable(kept.get(keyOf(area, parent))?.listing)),
    )

  return { list, nodeAt }
}
