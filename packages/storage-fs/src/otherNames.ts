import type { Listing } from '@canopy/domain'

const listings = new WeakSet<Listing.Listing>()

/** Notes that a listing holds a file which has another name elsewhere (a hard link), by which it may be written too. */
export const noteOtherNames = (listing: Listing.Listing): Listing.Listing => {
  listings.add(listing)
  return listing
}

export const hasOtherNames = (listing: Listing.Listing): boolean => listings.has(listing)
