import type { Entry } from '@canopy/domain'

const listings = new WeakSet<Entry.Listing>()

/** Notes that a listing holds a file which has another name elsewhere (a hard link), by which it may be written too. */
export const noteOtherNames = (listing: Entry.Listing): Entry.Listing => {
  listings.add(listing)
  return listing
}

export const hasOtherNames = (listing: Entry.Listing): boolean => listings.has(listing)
