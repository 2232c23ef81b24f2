import { type BigIntStats, statSync } from 'node:fs'
import { type Entry, U64 } from '@canopy/domain'
import * as O from 'fp-ts/lib/Option.js'
import { modifiedSeconds } from './modifiedSeconds.mjs'

/** `none` for what is neither file nor directory. The path leads to the node, through links too. */
export const nodeOfStats = (stats: BigIntStats, path: string): O.Option<Entry.Node> => {
  const last_modified = U64.clamp(modifiedSeconds(stats, statSync, path))
  return stats.isFile()
    ? O.some({ type: 'file', size: U64.clamp(stats.size), last_modified })
    : stats.isDirectory()
      ? O.some({ type: 'dir', last_modified })
      : O.none
}
