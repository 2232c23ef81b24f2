// The storage ports over directories: what is asked is found without a race, and read here or by another process.
import { type BigIntStats, lstatSync } from 'node:fs'
import { type Area, type Entry, Failure, type ListEnv, type Listing, type NodeAtEnv, StoragePath } from '@canopy/domain'
import { yieldToEventLoop } from '@canopy/scheduling'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import pLimit, { type LimitFunction } from 'p-limit'
import { areaDirectory, foreignMountOf, pinInArea } from '../resolve/areas.js'
import { errnoOf, nodeOfStats, withAdvice } from '../resolve/decode.js'
import { kindAt, unsureNames, whereListed } from '../resolve/fileSystems.js'
import { lookUp, type OpenPinned, openPinned, type PinnedNode } from '../resolve/openPinned.js'
import type { StorageRoot } from '../StorageRoot.js'
import { listingIn } from './directory.js'

/** The storage ports over areas that are directories. A directory is one page. */
export interface FsStorage extends NodeAtEnv, ListEnv {
  /** Lists the content of one moment, even while the directory changes, if it ever rests for a moment; at twice the cost. */
  readonly listSnapshot: ListEnv['list']
}

export interface FsStorageOptions {
  /** How a node is held while it is read; by default in the way that this system has. */
  readonly hold?: OpenPinned | undefined
  /** Starts what reads large directories, and all that may hang. Without it this process reads everything itself. */
  readonly startReaders?: () => FsStorage
  /** Called at the first question for what is on a network or FUSE mount, or on several in one directory (with NUL between them). */
  readonly onForeign?: (area: Area.Area, mount: string) => void
}

/** A directory that is moved all the time is not waited for. */
const mostTries = 8

const movedEachTime = Failure.external(new Error(`the directory was moved each time it was read, ${mostTries} times`))
const replaced = Failure.external(new Error('the node at the path was replaced while it was looked at'))
const cancelled = new Error('the client left before the directory was read')
const rootIsGone = Failure.external(new Error('the root of the area went away while it was read'))

type Answer<A> = E.Either<Failure.OfStorage, A>

/** `path` leads to the node. */
const nodeOf = (stats: BigIntStats, path: string): Answer<Entry.Node> =>
  pipe(
    nodeOfStats(stats, path),
    E.fromOption(() => Failure.fileNotFound),
  )

/** `node:fs` names the descriptor or the working directory by which a node was reached: an operator needs its path. */
const byPath = ({ location }: Area.Area, path: string, cause: unknown): unknown => {
  const place = ` '${path}' in area '${location}'`
  // What a reader answers names it already.
  if (!(cause instanceof Error) || cause.message.includes(place)) return cause
  const message = cause.message.replace(/( '.*')?$/s, (named) => (named === '' ? `:${place}` : place))
  return withAdvice(Object.assign(new Error(message), 'code' in cause ? { code: errnoOf(cause) } : {}))
}

const unknownByPath = (area: Area.Area, path: StoragePath.StoragePath, listing: Listing.Listing): Listing.Listing => {
  if (listing.unknown === undefined) return listing
  const { names, cause } = listing.unknown
  const entry = `${path === StoragePath.root ? '' : path}/${names[0] ?? ''}`
  return { ...listing, unknown: { names, cause: byPath(area, entry, cause) } }
}

/** In bytes, as a directory itself says: some hundred names. A file system that does not say (0) may have any number. */
const smallBytes = 16_384n

const isSmall = ({ size }: BigIntStats, directory: string): boolean =>
  size > 0n && size <= smallBytes && kindAt(directory)?.hidesSize !== true

/** The directories of an area that are read at once: a huge area, or one whose disk hangs, leaves room for others. */
const atOnce = 3

/** No one waits any more for what has been queued for so long behind a mount that hangs, in milliseconds. */
const mostQueuedMs = 60_000

const queuedTooLong = Failure.external(new Error(`the mount left the question unanswered for ${mostQueuedMs} ms`))

/** For each key one queue, as long as something is in it. */
export const queues = (byKey = new Map<string, LimitFunction>()) => {
  return async <A>(key: string, work: () => Promise<A>): Promise<A> => {
    const queue = byKey.get(key) ?? pLimit(atOnce)
    byKey.set(key, queue)
    try {
      return await queue(work)
    } finally {
      if (queue.activeCount + queue.pendingCount === 0) byKey.delete(key)
    }
  }
}

/** The storage ports over a directory of the local file system, against which the location of an area is resolved. */
export const fsStorage = (
  root: StorageRoot,
  { hold = openPinned, startReaders, onForeign = () => undefined }: FsStorageOptions = {},
): FsStorage => {
  const holdIn = pinInArea(root, hold)
  const queued = queues()
  const readers = startReaders?.()
  /** Areas of which this process is reading a directory: another one is read elsewhere in the meantime. */
  const readHere = new Set<Area.AreaLocation>()
  const foreignMount = foreignMountOf(root)
  /** By mount point: one that hangs holds up no other. */
  const foreignReaders = new Map<string, FsStorage>()

  /** Asks this process, or those that read what must not be touched here; a few questions of an area and a mount at once. */
  const asking = async <A>(
    area: Area.Area,
    path: StoragePath.StoragePath,
    here: () => Promise<Answer<A>>,
    elsewhere: (foreign: FsStorage) => () => Promise<Answer<A>>,
  ): Promise<Answer<A>> => {
    const mount = startReaders && foreignMount(area, path)
    let ask = here
    if (startReaders !== undefined && mount !== undefined) {
      const known = foreignReaders.get(mount)
      if (known === undefined) onForeign(area, mount)
      const foreign = known ?? startReaders()
      foreignReaders.set(mount, foreign)
      const askedAt = performance.now()
      ask = () =>
        queued(`${area.location}\0${mount}`, async () =>
          performance.now() - askedAt > mostQueuedMs ? E.left(queuedTooLong) : elsewhere(foreign)(),
        )
    }
    return pipe(
      await ask(),
      E.mapLeft((failure) =>
        failure.error === 'external' ? Failure.external(byPath(area, path, failure.cause)) : failure,
      ),
    )
  }

  const holding = async <A>(
    area: Area.Area,
    path: StoragePath.StoragePath,
    use: (held: PinnedNode) => Promise<Answer<A>> | Answer<A>,
  ): Promise<Answer<A>> => {
    const held = holdIn(area, path)
    if (E.isLeft(held)) return held
    try {
      return await use(held.right)
    } catch (thrown) {
      return E.left(Failure.external(thrown))
    } finally {
      held.right.close()
    }
  }

  /** What a look-up in something that is no directory answers: `type mismatch` only for a file that its directory lists by this name. */
  const notADirectory = async (
    area: Area.Area,
    path: StoragePath.StoragePath,
    stats: BigIntStats,
  ): Promise<Answer<never>> => {
    if (!stats.isFile()) return E.left(Failure.fileNotFound)
    const node = await nodeIn(area, path)
    if (E.isLeft(node)) return node
    return E.left(node.right.type === 'file' ? Failure.typeMismatch : replaced)
  }

  const nodeIn = (area: Area.Area, path: StoragePath.StoragePath): Promise<Answer<Entry.Node>> => {
    const parent = StoragePath.parent(path)
    if (O.isNone(parent)) return holding(area, path, ({ stats, fdPath }) => nodeOf(stats(), fdPath))
    return holding(area, parent.value, (held) => {
      const way = `${held.fdPath}/${StoragePath.name(path)}`
      const found = lookUp(held, () => lstatSync(way, { bigint: true }))
      if (E.isLeft(found)) {
        const stats = held.stats()
        return stats.isDirectory() ? found : notADirectory(area, held.blocks ?? parent.value, stats)
      }
      const unsure = unsureNames(areaDirectory(root, area.location), path, found.right.dev, held.fdPath)
      const node = (): Answer<Entry.Node> => nodeOf(found.right, way)
      return unsure.length === 0 ? node() : whereListed(unsure, async () => node())
    })
  }

  const list =
    (ask: 'list' | 'listSnapshot'): ListEnv['list'] =>
    (area, path, options = {}) => {
      const pause = async (): Promise<void> => {
        await yieldToEventLoop()
        if (options.signal?.aborted === true) throw cancelled
      }

      const read = async (stats: BigIntStats, directory: string): Promise<Answer<Listing.Listing>> => {
        const isHere = readers === undefined || (isSmall(stats, directory) && !readHere.has(area.location))
        if (!isHere) return readers[ask](area, path, options)()
        readHere.add(area.location)
        const found = await listingIn(directory, ask === 'listSnapshot', pause)
        readHere.delete(area.location)
        return found
      }

      const listHeld = async ({ stats, blocks, fdPath }: PinnedNode): Promise<Answer<Listing.Listing>> => {
        const its = stats()
        if (!its.isDirectory()) return notADirectory(area, blocks ?? path, its)
        const unsure = E.tryCatch(
          () => unsureNames(areaDirectory(root, area.location), path, its.dev, `${fdPath}/..`),
          Failure.external,
        )
        if (E.isRight(unsure)) return whereListed(unsure.right, () => read(its, fdPath))
        if (errnoOf(unsure.left.cause) !== 'EACCES') return unsure
        // A directory that may be read and not searched leads nowhere, not even up.
        const node = await nodeIn(area, path)
        return E.isLeft(node) ? node : read(its, fdPath)
      }

      /** A directory that has moved may have been read in another place: it is read again. */
      const listed = async (): Promise<Answer<Listing.Listing>> => {
        for (let tries = 0; tries < mostTries; tries += 1) {
          const answer = await holding(area, path, async (held) => {
            const listing = await listHeld(held)
            return held.isInPlace() ? pipe(listing, E.map(O.some)) : E.right(O.none)
          })
          // Every area has a root: one that goes away while it is read is as good as missing.
          if (E.isLeft(answer))
            return path === StoragePath.root && answer.left.error !== 'external' ? E.left(rootIsGone) : answer
          if (O.isSome(answer.right)) return E.right(answer.right.value)
        }
        return E.left(movedEachTime)
      }

      return async () =>
        pipe(
          await asking(
            area,
            path,
            () => queued(area.location, listed),
            (foreign) => foreign[ask](area, path, options),
          ),
          E.map((listing) => unknownByPath(area, path, listing)),
        )
    }

  return {
    nodeAt: (area, path) => () =>
      asking(
        area,
        path,
        () => nodeIn(area, path),
        (foreign) => foreign.nodeAt(area, path),
      ),
    list: list('list'),
    listSnapshot: list('listSnapshot'),
  }
}
