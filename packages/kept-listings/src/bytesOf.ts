import { Entries } from '@canopy/domain'
import type { Reading } from './Reading.js'

// As measured: an entry 140 bytes, its JSON in a tree 130, its row and its JSON in a listing 210; each without its name.
const entryBytes = 480
// Once in the entry and once in each JSON, or twice as much where a name is not Latin.
const nameUnitBytes = 4
// A watch with its handle.
const watchBytes = 2048
// The listing itself, and by what all that is derived from it is found again.
const readingBytes = 2560

/** What a kept reading costs in memory, with what will be derived from it; an estimate, on the high side. */
export const bytesOf = ({ listing, watches, key }: Reading): number =>
  readingBytes +
  key.length * 2 +
  watches.length * watchBytes +
  (listing === undefined
    ? 0
    : listing.entries.length * entryBytes + Entries.nameLength(listing.entries) * nameUnitBytes)
