import { Entries, type Listing, type Name } from '@canopy/domain'
import { inSlices } from '@canopy/event-loop'
import * as O from 'fp-ts/lib/Option.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import { errorOf } from './errorOf.js'
import { nameOfBytes } from './nameOfBytes.js'
import { noteOtherNames } from './otherNames.js'
import type { Found } from './readerMessages.js'

const packOf = (names: string, numbers: BigUint64Array): Entries.Pack => {
  const starts = new Uint32Array(numbers.length / 2 + 1)
  for (let at = 1; at < starts.length; at += 1) {
    const slash = names.indexOf('/', starts[at - 1])
    starts[at] = slash === -1 ? names.length + 1 : slash + 1
  }
  return { names, starts, numbers }
}

/** Without the names that are none for the domain. */
const decoded = ({ count, names, numbers }: Found): Entries.Pack => {
  const listable: Array<Name.Name> = []
  const kept = new BigUint64Array(2 * count)
  for (const [at, bytes] of names.split('/').entries()) {
    const name = O.toUndefined(nameOfBytes(bytes))
    if (name === undefined) continue
    kept.set(numbers.subarray(2 * at, 2 * at + 2), 2 * listable.length)
    listable.push(name)
  }
  return packOf(listable.join('/'), kept.slice(0, 2 * listable.length))
}

/** What a directory holds is a name in all but its encoding, and ASCII is UTF-8. The numbers leave the message they came in. */
const packed = (found: Found): Entries.Pack =>
  /[^\0-\x7f]/.test(found.names) ? decoded(found) : packOf(found.names, found.numbers.slice(0, 2 * found.count))

/** One part is made at once; of many, a few in each round of the event loop. */
const packsOf = async (parts: ReadonlyArray<Found>): Promise<ReadonlyArray<Entries.Pack>> =>
  parts.length === 1 ? parts.map(packed) : inSlices(parts, packed)

const unknownIn = async (parts: ReadonlyArray<Found>): Promise<Listing.Unknown | undefined> => {
  const found = parts.flatMap(({ unknown }) => unknown ?? [])
  if (found[0] === undefined) return undefined
  const names = await inSlices(found, (each) => RA.filterMap(nameOfBytes)(each.names.split('/')))
  return { names: names.flat(), cause: errorOf(found[0].trouble) }
}

/** The listing of all its parts. */
export const listingOf = async (parts: ReadonlyArray<Found>): Promise<Listing.Listing> => {
  const entries = Entries.packed(await packsOf(parts))
  const listing: Listing.Listing = {
    entries,
    unknown: await unknownIn(parts),
    unlistable: parts.reduce((sum, part) => sum + part.unlistable + part.count, 0) - entries.length,
  }
  return parts.some(({ otherNames }) => otherNames) ? noteOtherNames(listing) : listing
}
