import { pipe } from 'fp-ts/lib/function.js'
import * as N from 'fp-ts/lib/number.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import type { Entries } from './Entries.js'
import type { NodeVisibility } from './NodeVisibility.js'

/** Entries alike in visibility that follow one another in an answer, at least one: one value for many. */
export interface Alike {
  readonly entries: Entries
  readonly visibility: NodeVisibility
}

const countOf = ({ entries }: Alike): number => entries.length

/** How many entries they are together. */
export const count: (all: ReadonlyArray<Alike>) => number = RA.foldMap(N.MonoidSum)(countOf)

/** The first so many entries of all. */
export const take =
  (most: number) =>
  (all: ReadonlyArray<Alike>): ReadonlyArray<Alike> =>
    pipe(
      RA.zipWith(all, pipe(all, RA.map(countOf), RA.scanLeft(0, N.SemigroupSum.concat)), (alike, before) => ({
        ...alike,
        entries: alike.entries.slice(0, Math.max(0, most - before)),
      })),
      RA.filter((alike) => countOf(alike) > 0),
    )
