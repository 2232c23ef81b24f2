import type { Listing } from '@canopy/domain'
import type { Place } from './Place.js'

/** One reading of a directory, from before its first byte until it is dropped. */
export interface Reading {
  readonly place: Place
  readonly key: string
  /** Set for good by the first notice of a change. */
  stale: boolean
  listing: Listing.Listing | undefined
  /** The watches that it leans on. */
  readonly watches: Array<Watch>
}

export interface Watch {
  readonly key: string
  /** The entry whose changes matter; `undefined` for every entry. */
  readonly name: string | undefined
}
