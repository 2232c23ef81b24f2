import { pipe } from 'fp-ts/lib/function.js'
import type * as IO from 'fp-ts/lib/IO.js'
import * as O from 'fp-ts/lib/Option.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import type { DirectoryItem } from './DirectoryItem.js'

/** Some items of an answer, which may be none, and a way to make those that follow. */
export interface Part {
  readonly items: ReadonlyArray<DirectoryItem>
  /** `none` when the answer holds no others. */
  readonly rest: O.Option<IO.IO<Part>>
  /** Whether the asker would see more items after the last of the answer. Known in the last part. */
  readonly more: boolean
}

/**
 * The items of an answer as they unfold, since a directory may hold very many. Whoever unfolds them makes them, each time
 * anew: an answer that is remembered holds none of them.
 */
export interface Items {
  readonly unfold: IO.IO<Part>
}

/** The parts of an answer, in order. */
const parts = ({ unfold }: Items): ReadonlyArray<Part> =>
  RA.unfold<Part, O.Option<IO.IO<Part>>>(
    O.some(unfold),
    O.map((next) => pipe(next(), (part) => [part, part.rest])),
  )

/** The whole answer in memory. */
export const collect = (items: Items): Pick<Part, 'items' | 'more'> => {
  const all = parts(items)
  return { items: all.flatMap((part) => part.items), more: all.at(-1)?.more === true }
}
