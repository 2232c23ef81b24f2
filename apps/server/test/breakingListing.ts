import type { Listing } from '@canopy/domain'

/** A listing that passes as one, and throws when it is written: nothing else breaks an answer that has begun. */
export const breakingListing = (): Listing.Listing => {
  let looked = 0
  const slice = () => {
    looked += 1
    if (looked > 1) throw new Error('a bug')
    return []
  }
  return { entries: Object.assign([], { length: 1, slice }), unlistable: 0 }
}
