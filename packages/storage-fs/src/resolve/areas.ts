import { type BigIntStats, statSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type Area, type Entry, Failure, StoragePath } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { constVoid, pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { StorageRoot } from '../StorageRoot.js'
import { nodeOfStats } from './decode.js'
import { withHint } from './errno.js'
import { mountTable } from './mounts.js'
import { type OpenPinned, type Pinned, procIsMounted } from './openPinned.js'

/** Returns the absolute path of an area's directory: its location, relative to the storage root unless it is absolute. */
export const areaDirectory = (root: StorageRoot, location: Area.AreaLocation): string =>
  // `resolve` is several times slower, and every look-up calls this.
  isPlain.test(location) && root !== '/' ? `${root}/${location}` : resolve(root, location)

const isPlain = /^[\w-]+$/

/**
 * Checks that areas can be read now: their directory exists and may be entered, and `/proc` is mounted. On a mount that hangs
 * the call does not return and the process cannot end: if the root is on a foreign mount, call it in a reader process.
 */
export const storageReachable = (root: StorageRoot): TE.TaskEither<Failure.External, void> =>
  pipe(
    TE.fromIOEither(procIsMounted),
    // Looking up the directory's own dot requires permission to search it.
    TE.flatMap(() =>
      TE.tryCatch(
        () => stat(`${root}/.`),
        (thrown) => Failure.external(withHint(thrown)),
      ),
    ),
    TE.map(constVoid),
  )

/**
 * Reports whether a directory is a mount point: its device differs from its parent's. `/` is one. A bind mount of the parent's
 * own device is not detected. Throws errors of `node:fs`.
 */
export const isMountPoint = (
  directory: string,
  stats: BigIntStats = statSync(directory, { bigint: true }),
): boolean => {
  const parent = statSync(`${directory}/..`, { bigint: true })
  return parent.dev !== stats.dev || parent.ino === stats.ino
}

const notMounted = (directory: string): Failure.External =>
  Failure.external(
    new Error(`${directory} was a mount point when it was assigned to the account, but nothing is mounted there now`),
  )

/** Pins the node at a path of an area; `external` if the area was created on a mount point that is not mounted now. */
export const pinInArea =
  (root: StorageRoot, pin: OpenPinned) =>
  (area: Area.Area, path: StoragePath.StoragePath): Pinned => {
    const directory = areaDirectory(root, area.location)
    if (area.isMountPoint !== true) return pin(directory, path)
    // While the root is pinned, its file system cannot be unmounted.
    const pinned = pin(directory, StoragePath.root)
    if (E.isLeft(pinned)) return pinned
    const { fdPath, stats, close } = pinned.right
    const mounted = pipe(
      E.tryCatch(() => isMountPoint(fdPath, stats()), Failure.external),
      E.filterOrElse(
        (isMounted) => isMounted,
        () => notMounted(directory),
      ),
    )
    if (E.isRight(mounted) && path === StoragePath.root) return pinned
    const found = E.isLeft(mounted) ? mounted : pin(fdPath, path)
    close()
    return found
  }

/** Returns the foreign mount of a path of an area: see `MountTable`. */
export type ForeignMountOf = (area: Area.Area, path: StoragePath.StoragePath) => string | undefined

export const foreignMountOf =
  (root: StorageRoot): ForeignMountOf =>
  ({ location }, path) =>
    mountTable.foreignMountOf(areaDirectory(root, location), path)

export interface AreaRoot {
  /**
   * Identifies the directory, whatever path leads to it, and the mounts below it as of the last second. A mount on the directory
   * changes the identity at once.
   */
  readonly identity: string
  readonly node: Entry.DirectoryNode
}

/** Returns the root of an area now; `undefined` if there is no directory, or not the mount that there should be. */
export const areaRootAt =
  (root: StorageRoot) =>
  (area: Area.Area): AreaRoot | undefined => {
    const directory = areaDirectory(root, area.location)
    try {
      const stats = statSync(directory, { bigint: true })
      const node = O.toUndefined(nodeOfStats(stats, directory))
      if (node?.type !== 'dir' || (area.isMountPoint === true && !isMountPoint(directory, stats))) return undefined
      return { identity: `${stats.dev}:${stats.ino} ${mountTable.mountsBelow(directory)}`, node }
    } catch {
      return undefined
    }
  }
