import { type Area, Failure, type ListEnv, type Listing, type NodeAtEnv, StoragePath } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { HeldNode, HoldNode } from './HeldNode.js'
import { holdInArea } from './holdInArea.js'
import { holdNode } from './holdNode.js'
import { nodeOfStats } from './nodeOfStats.js'
import { readListing } from './readListing.js'
import type { StorageRoot } from './StorageRoot.js'

const nodeOf = ({ stats, reachedBy, close }: HeldNode) => {
  const node = nodeOfStats(stats, reachedBy)
  close()
  return pipe(
    node,
    E.fromOption(() => Failure.fileNotFound),
  )
}

/** What was read of a node; `none` when that was moved meanwhile, as it may have been read in another place. */
const inPlace =
  <A>(read: (held: HeldNode) => TE.TaskEither<Failure.OfStorage, A>) =>
  (held: HeldNode): TE.TaskEither<Failure.OfStorage, O.Option<A>> =>
    pipe(read(held), TE.map(O.fromPredicate(held.stands)))

/** Who moves a directory all the time is not waited for: it was somewhere else each time. */
const mostTries = 8

/** Looks for it again where it was moved while it was read. */
const whereItStood = <A>(
  read: TE.TaskEither<Failure.OfStorage, O.Option<A>>,
  tries: number = mostTries,
): TE.TaskEither<Failure.OfStorage, A> =>
  pipe(
    read,
    TE.flatMap(O.match(() => (tries === 1 ? TE.left(Failure.fileNotFound) : whereItStood(read, tries - 1)), TE.right)),
  )

const rootIsGone = Failure.external(new Error('the root of the area went away while it was read'))

/** Every area has a root: one that goes away while it is read is as good as missing. */
const neverMissing = (path: StoragePath.StoragePath) =>
  TE.mapLeft((failure: Failure.OfStorage) =>
    path === StoragePath.root && failure.error !== 'external' ? rootIsGone : failure,
  )

/** `node:fs` names the descriptor or the working directory by which a node was reached: that tells an operator nothing. */
const toldByPath = ({ location }: Area.Area, path: string, cause: unknown): unknown => {
  if (!(cause instanceof Error)) return cause
  const place = ` '${path}' in area '${location}'`
  const message = cause.message.replace(/( '.*')?$/s, (named) => (named === '' ? `:${place}` : place))
  return Object.assign(new Error(message), 'code' in cause ? { code: cause.code } : {})
}

const toldFailure = (area: Area.Area, path: StoragePath.StoragePath) =>
  TE.mapLeft((failure: Failure.OfStorage) =>
    failure.error === 'external' ? Failure.external(toldByPath(area, path, failure.cause)) : failure,
  )

const toldListing =
  (area: Area.Area, path: StoragePath.StoragePath) =>
  (listing: Listing.Listing): Listing.Listing => {
    if (listing.unknown === undefined) return listing
    const { names, cause } = listing.unknown
    const entry = `${path === StoragePath.root ? '' : path}/${names[0] ?? ''}`
    return { ...listing, unknown: { names, cause: toldByPath(area, entry, cause) } }
  }

/** `nodeAt` and `list` of areas that are directories. */
export interface FsStorage extends NodeAtEnv, ListEnv {
  /** Lists what a directory held at one moment, even while it is being changed, if it ever rests; at twice the cost. */
  readonly listAtRest: ListEnv['list']
}

/**
 * The storage ports over a directory of the local file system.
 *
 * @param root against which the location of an area is resolved
 * @param hold how a node is held while it is read; where nothing is said, in the way that this system has
 */
export const fsStorage = (root: StorageRoot, hold: HoldNode = holdNode()): FsStorage => {
  const holdIn = holdInArea(root, hold)
  const held = (area: Area.Area, path: StoragePath.StoragePath) => TE.fromIOEither(() => holdIn(area, path))
  const listing =
    (untilAtRest: boolean): ListEnv['list'] =>
    (area, path) =>
      pipe(
        whereItStood(
          TE.bracket(held(area, path), inPlace(readListing({ untilAtRest })), ({ close }) => TE.fromIO(close)),
        ),
        neverMissing(path),
        toldFailure(area, path),
        TE.map(toldListing(area, path)),
      )
  return {
    nodeAt: (area, path) => pipe(held(area, path), TE.flatMapEither(nodeOf), toldFailure(area, path)),
    list: listing(false),
    listAtRest: listing(true),
  }
}
