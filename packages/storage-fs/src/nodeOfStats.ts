import type { BigIntStats } from 'node:fs'
import { type Entry, U64 } from '@canopy/domain'
import * as O from 'fp-ts/lib/Option.js'

/** `none` for what is neither file nor directory. */
export const nodeOfStats = (stats: BigIntStats): O.Option<Entry.Node> => {
  // Truncated, not floored: the two differ only before 1970, which is 0 either way.
  const last_modified = U64.clamp(stats.mtimeNs / 1_000_000_000n)
  return stats.isFile()
    ? O.some({ type: 'file', size: U64.clamp(stats.size), last_modified })
    : stats.isDirectory()
      ? O.some({ type: 'dir', last_modified })
      : O.none
}
