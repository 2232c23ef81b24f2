import { pipe } from 'fp-ts/lib/function.js'
import type * as IO from 'fp-ts/lib/IO.js'
import * as O from 'fp-ts/lib/Option.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import type { DirectoryItem } from './DirectoryItem.js'

/**
 * The items of an answer as they unfold, since a directory may hold very many: some of them, which may be none, and a
 * way to make those that follow.
 */
export interface Items {
  readonly items: ReadonlyArray<DirectoryItem>
  /** `none` when the answer holds no others. */
  readonly rest: O.Option<IO.IO<Items>>
  /** Whether the asker would see more items after the last of the answer. Known in the last part. */
  readonly more: boolean
}

/** The parts of an answer, in order. */
const parts = (first: Items): ReadonlyArray<Items> =>
  RA.unfold<Items, O.Option<Items>>(
    O.some(first),
    O.map((part) => [
      part,
      pipe(
        part.rest,
        O.map((rest) => rest()),
      ),
    ]),
  )

/** The whole answer in memory. */
export const collect = (first: Items): Pick<Items, 'items' | 'more'> => {
  const all = parts(first)
  return { items: all.flatMap(({ items }) => items), more: all.at(-1)?.more === true }
}
