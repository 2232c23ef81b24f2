import type { Entry } from '@canopy/domain'

/** A listing with its entries in an array, to be compared with one. */
export const unpacked = (listing: Entry.Listing) => ({ ...listing, entries: [...listing.entries] })
