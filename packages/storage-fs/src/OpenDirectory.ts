import type { Hash } from 'node:crypto'
import type { Found } from './readerMessages.js'

/** A directory that is being read. */
export interface OpenDirectory {
  /** A path that leads to it, perhaps another one for the next part. */
  directory: string
  /** All names in it, once they are read. */
  names: ReadonlyArray<string> | undefined
  /** How many of them have been looked at. */
  at: number
  /** Those that nobody has taken yet. */
  parts: Array<Found>
  /** For a reading that is repeated until it tells the same as the one before. */
  readonly repeating: Repeating | undefined
}

export interface Repeating {
  /** Of all that this reading has told so far. */
  digest: Hash
  /** Of the names alone. */
  names: Hash
  /** Whether a name in it was gone when it was looked at. */
  missesSome: boolean
  /** Both, by the reading before; there are two at least. `undefined` for one that missed some. */
  before: { readonly all: string; readonly names: string } | undefined
  /** How many have come to their end. */
  readings: number
  /** When the first one began, as `performance.now()` tells. */
  began: number | undefined
}
