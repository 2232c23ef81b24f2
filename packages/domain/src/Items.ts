import type * as IO from 'fp-ts/lib/IO.js'
import type { Alike } from './Alike.js'
import * as Batch from './Batch.js'
import * as DirectoryItem from './DirectoryItem.js'

export interface End {
  /** Whether the asker would see more items after the last of the answer. */
  readonly more: boolean
}

/**
 * The items of an answer as they unfold, since a directory may hold very many: entries alike in visibility, of which
 * `DirectoryItem` makes items or their JSON. Whoever unfolds them makes them, each time anew: an answer that is remembered
 * holds none of them. A batch may be empty. `JSON.stringify` knows nothing of them and writes `most` alone: use `collect`.
 */
export interface Items {
  /** There are no more than so many. */
  readonly most: number
  readonly unfold: IO.IO<Batch.Batch<Alike, End>>
}

/** The whole answer in memory. */
export const collect = ({ unfold }: Items): End & { readonly items: ReadonlyArray<DirectoryItem.DirectoryItem> } => {
  const { items, end } = Batch.collect(unfold())
  return { items: items.flatMap(DirectoryItem.ofAlike), more: end.more }
}
