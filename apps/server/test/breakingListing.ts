import type { Listing } from '@canopy/domain'

/** A listing that throws when it is written: nothing else breaks an answer that has begun. */
export const breakingListing = (): Listing.Listing => {
  const walk = (): never => {
    throw new Error('a bug')
  }
  return { entries: { length: 0, at: () => undefined, [Symbol.iterator]: walk }, unlistable: 0 }
}
