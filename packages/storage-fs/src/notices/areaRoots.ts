import { type BigIntStats, statSync } from 'node:fs'
import { type Area, type Entry, onceFor } from '@canopy/domain'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import { areaDirectory } from '../areaDirectory.js'
import { nodeOfStats } from '../nodeOfStats.js'
import type { StorageRoot } from '../StorageRoot.js'

/** What stands at the root of an area. */
export interface AreaRoot {
  /** Of the directory itself, wherever it is reached. */
  readonly identity: string
  readonly node: Entry.DirectoryNode
}

const rootOf = (stats: BigIntStats): O.Option<AreaRoot> =>
  pipe(
    nodeOfStats(stats),
    O.filter((node): node is Entry.DirectoryNode => node.type === 'dir'),
    O.map((node) => ({ identity: `${stats.dev}:${stats.ino}`, node })),
  )

const tellTheSame = (a: BigIntStats, b: BigIntStats): boolean =>
  a.mtimeNs === b.mtimeNs && a.ino === b.ino && a.dev === b.dev && a.mode === b.mode

/** Asked for every answer: what was seen last is made anew only when something else is seen. */
const lookingAt = (directory: string): (() => O.Option<AreaRoot>) => {
  let last: { readonly stats: BigIntStats; readonly root: O.Option<AreaRoot> } | undefined
  return () => {
    try {
      const stats = statSync(directory, { bigint: true })
      if (last === undefined || !tellTheSame(last.stats, stats)) last = { stats, root: rootOf(stats) }
      return last.root
    } catch {
      return O.none
    }
  }
}

/** What stands at the root of each area at this moment; `none` when nothing does, or no directory. */
export const areaRoots = (root: StorageRoot): ((area: Area.Area) => O.Option<AreaRoot>) => {
  const looking = onceFor((area: Area.Area) => lookingAt(areaDirectory(root, area.location)))
  return (area) => looking(area)()
}
