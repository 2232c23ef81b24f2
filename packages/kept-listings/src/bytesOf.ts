import { Entries } from '@canopy/domain'
import type { Reading } from './Reading.js'

// As measured, each without its name: an entry of an array, one that is packed, its JSON in a tree, in a listing.
const arrayEntryBytes = 140
const packedEntryBytes = 20
const treeJsonBytes = 130
const listingJsonBytes = 210
// Once in the entry and once in each JSON, or twice as much where a name is not Latin.
const nameUnitBytes = 4
// A watch with its handle.
const watchBytes = 2048
// The listing itself, and by what all that is derived from it is found again.
const readingBytes = 2560

const entriesBytes = (entries: Entries.Entries): number =>
  entries.length *
    ((Entries.isPacked(entries) ? packedEntryBytes : arrayEntryBytes) + treeJsonBytes + listingJsonBytes) +
  Entries.nameLength(entries) * nameUnitBytes

/** What a kept reading costs in memory, with what will be derived from it; an estimate, on the high side. */
export const bytesOf = ({ listing, watches, key }: Reading): number =>
  readingBytes +
  key.length * 2 +
  watches.length * watchBytes +
  (listing === undefined ? 0 : entriesBytes(listing.entries))
