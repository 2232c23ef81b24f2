import { type Area, Failure, StoragePath } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { areaDirectory } from './areaDirectory.js'
import type { Held, HeldNode, HoldNode } from './HeldNode.js'
import { isMountPoint } from './isMountPoint.js'
import type { StorageRoot } from './StorageRoot.js'

const notMounted = (directory: string): Failure.External =>
  Failure.external(
    new Error(`${directory} was a mount point when it was given to the account, and nothing is mounted there now`),
  )

/** The root of an area, if something is mounted there. While it is held, that cannot be unmounted. */
const mounted =
  (directory: string) =>
  (root: HeldNode): Held =>
    pipe(
      E.tryCatch(() => isMountPoint(root.reachedBy, root.stats()), Failure.external),
      E.filterOrElse(
        (isOne) => isOne,
        () => notMounted(directory),
      ),
      E.bimap(
        (failure) => {
          root.close()
          return failure
        },
        () => root,
      ),
    )

const below =
  (hold: HoldNode, path: StoragePath.StoragePath) =>
  (root: HeldNode): Held => {
    if (path === StoragePath.root) return E.right(root)
    const held = hold(root.reachedBy, path)
    root.close()
    return held
  }

/** Holds what is at a path of an area; `external` where the area was made on a mount point and is on none now. */
export const holdInArea =
  (root: StorageRoot, hold: HoldNode) =>
  (area: Area.Area, path: StoragePath.StoragePath): Held => {
    const directory = areaDirectory(root, area.location)
    return area.isMountPoint === true
      ? pipe(hold(directory, StoragePath.root), E.flatMap(mounted(directory)), E.flatMap(below(hold, path)))
      : hold(directory, path)
  }
