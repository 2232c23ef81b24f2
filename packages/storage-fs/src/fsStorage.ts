import { type Area, Failure, type ListEnv, type NodeAtEnv, type StoragePath } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { areaDirectory } from './areaDirectory.js'
import type { HeldNode, HoldNode } from './HeldNode.js'
import { holdNode } from './holdNode.js'
import { nodeOfStats } from './nodeOfStats.js'
import { readListing } from './readListing.js'
import type { StorageRoot } from './StorageRoot.js'

const nodeOf = ({ stats, close }: HeldNode) => {
  close()
  return pipe(
    nodeOfStats(stats),
    E.fromOption(() => Failure.fileNotFound),
  )
}

export interface FsStorage extends NodeAtEnv, ListEnv {
  /** Lists what a directory held at one moment, even while it is being changed, if it ever rests; at twice the cost. */
  readonly listAtRest: ListEnv['list']
}

/** The storage ports over a directory of the local file system. */
export const fsStorage = (root: StorageRoot, hold: HoldNode = holdNode()): FsStorage => {
  const held = (area: Area.Area, path: StoragePath.StoragePath) =>
    TE.fromIOEither(() => hold(areaDirectory(root, area.location), path))
  const listing =
    (untilAtRest: boolean): ListEnv['list'] =>
    (area, path) =>
      TE.bracket(held(area, path), readListing({ untilAtRest }), ({ close }) => TE.fromIO(close))
  return {
    nodeAt: (area, path) => pipe(held(area, path), TE.flatMapEither(nodeOf)),
    list: listing(false),
    listAtRest: listing(true),
  }
}
