import type { Entry, Name } from '@canopy/domain'
import * as O from 'fp-ts/lib/Option.js'

const indexes = new WeakMap<Entry.Listing, ReadonlyMap<string, Entry.Entry>>()

const indexOf = (listing: Entry.Listing): ReadonlyMap<string, Entry.Entry> => {
  const known = indexes.get(listing)
  if (known !== undefined) return known
  const index = new Map(listing.entries.map((entry) => [entry.name as string, entry]))
  indexes.set(listing, index)
  return index
}

export const entryNamed =
  (name: Name.Name) =>
  (listing: Entry.Listing): O.Option<Entry.Entry> =>
    O.fromNullable(indexOf(listing).get(name))
