import type { Listing } from '@canopy/domain'

/** A listing with its entries in an array, to be compared with one. */
export const unpacked = (listing: Listing.Listing) => ({ ...listing, entries: [...listing.entries] })
