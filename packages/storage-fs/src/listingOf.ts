import { type Entry, type Name, U64 } from '@canopy/domain'
import { inSlices } from '@canopy/event-loop'
import * as O from 'fp-ts/lib/Option.js'
import type { Found } from './Found.js'
import { nameOfBytes } from './nameOfBytes.js'
import { noteOtherNames } from './otherNames.js'

/** Adds the entries of a part, as far as they can be listed. */
const addTo =
  (entries: Array<Entry.Entry>) =>
  ({ count, names, numbers }: Found): void => {
    // What a directory holds is a name in all but its encoding, and ASCII is UTF-8.
    const areNames = !/[^\0-\x7f]/.test(names)
    for (const [at, bytes] of (count === 0 ? [] : names.split('/')).entries()) {
      const name = areNames ? (bytes as Name.Name) : O.toUndefined(nameOfBytes(bytes))
      if (name === undefined) continue
      const size = numbers[2 * at] ?? 0n
      const last_modified = U64.clamp(numbers[2 * at + 1] ?? 0n)
      entries.push(
        size < 0n ? { type: 'dir', last_modified, name } : { type: 'file', size: U64.clamp(size), last_modified, name },
      )
    }
  }

/** One part is made at once; of many, a few in each round of the event loop. */
const entriesOf = async (parts: ReadonlyArray<Found>): Promise<ReadonlyArray<Entry.Entry>> => {
  const entries: Array<Entry.Entry> = []
  if (parts.length === 1) parts.forEach(addTo(entries))
  else await inSlices(parts, addTo(entries))
  return entries
}

/** A whole listing of all its parts. */
export const listingOf = async (parts: ReadonlyArray<Found>): Promise<Entry.Listing> => {
  const entries = await entriesOf(parts)
  const listing = {
    entries,
    unlistable: parts.reduce((sum, part) => sum + part.unlistable + part.count, 0) - entries.length,
  }
  return parts.some(({ otherNames }) => otherNames) ? noteOtherNames(listing) : listing
}
