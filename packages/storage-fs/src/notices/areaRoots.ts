import { type BigIntStats, statSync } from 'node:fs'
import type { Area, Entry } from '@canopy/domain'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import { areaDirectory } from '../areaDirectory.js'
import { isMountPoint } from '../isMountPoint.js'
import { nodeOfStats } from '../nodeOfStats.js'
import type { StorageRoot } from '../StorageRoot.js'

/** What stands at the root of an area. */
export interface AreaRoot {
  /** Of the directory itself, wherever it is reached. */
  readonly identity: string
  readonly node: Entry.DirectoryNode
}

const rootOf = (directory: string, stats: BigIntStats): O.Option<AreaRoot> =>
  pipe(
    nodeOfStats(stats, directory),
    O.filter((node): node is Entry.DirectoryNode => node.type === 'dir'),
    O.map((node) => ({ identity: `${stats.dev}:${stats.ino}`, node })),
  )

interface Seen {
  readonly directory: string
  readonly dev: bigint
  readonly ino: bigint
  readonly mode: bigint
  readonly mtimeNs: bigint
  readonly root: O.Option<AreaRoot>
}

const seenIn = (directory: string, stats: BigIntStats): Seen => {
  const { dev, ino, mode, mtimeNs } = stats
  return { directory, dev, ino, mode, mtimeNs, root: rootOf(directory, stats) }
}

const tellsTheSame = (seen: Seen, stats: BigIntStats): boolean =>
  seen.mtimeNs === stats.mtimeNs && seen.ino === stats.ino && seen.dev === stats.dev && seen.mode === stats.mode

/** What stands at the root of each area at this moment; `none` when nothing does, no directory, or not the mount that should. */
export const areaRoots = (root: StorageRoot): ((area: Area.Area) => O.Option<AreaRoot>) => {
  // Asked for every answer: what was seen last is made anew only when something else is seen.
  const last = new WeakMap<Area.Area, Seen>()
  return (area) => {
    const known = last.get(area)
    const directory = known?.directory ?? areaDirectory(root, area.location)
    try {
      const stats = statSync(directory, { bigint: true })
      if (area.isMountPoint === true && !isMountPoint(directory, stats)) return O.none
      if (known !== undefined && tellsTheSame(known, stats)) return known.root
      const seen = seenIn(directory, stats)
      last.set(area, seen)
      return seen.root
    } catch {
      return O.none
    }
  }
}
