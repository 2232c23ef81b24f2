import type { Listing } from '@canopy/domain'

/** A listing that passes as one, and throws when it is written: nothing else breaks an answer that has begun. */
export const breakingListing = (): Listing.Listing => {
  let looked = 0
  const walk = () => {
    looked += 1
    if (looked > 1) throw new Error('a bug')
    return [][Symbol.iterator]()
  }
  return { entries: { length: 0, at: () => undefined, [Symbol.iterator]: walk }, unlistable: 0 }
}
