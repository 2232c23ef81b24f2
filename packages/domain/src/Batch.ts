import { tailRec } from 'fp-ts/lib/ChainRec.js'
import * as E from 'fp-ts/lib/Either.js'
import type * as IO from 'fp-ts/lib/IO.js'

/**
 * Some of many values, with a way to make those that follow, or with what is known once no others follow. Each batch is
 * made in a fraction of a millisecond, when it is asked for: so whoever asks holds up nobody, however many there are.
 */
export type Batch<A, End> =
  | { readonly is: 'some'; readonly items: ReadonlyArray<A>; readonly rest: IO.IO<Batch<A, End>> }
  | { readonly is: 'last'; readonly items: ReadonlyArray<A>; readonly end: End }

/** All values in memory, in order, and what is known at their end. */
export const collect = <A, End>(first: Batch<A, End>): { readonly items: ReadonlyArray<A>; readonly end: End } => {
  const items: Array<A> = []
  const end = tailRec(first, (batch): E.Either<Batch<A, End>, End> => {
    items.push(...batch.items)
    return batch.is === 'last' ? E.right(batch.end) : E.left(batch.rest())
  })
  return { items, end }
}
