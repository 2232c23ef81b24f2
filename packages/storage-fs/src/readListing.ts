import { Failure, type Listing } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { PackedEntries, packed } from './packedEntries.js'
import { errorOf, type Part, readingOf, troubleOf } from './readDirectory.js'

const withOtherNames = new WeakSet<Listing.Listing>()

/** Whether a listing holds a file that has another name elsewhere (a hard link), by which it may be written too. */
export const hasOtherNames = (listing: Listing.Listing): boolean => withOtherNames.has(listing)

/** The listing of all its parts. */
export const listingOf = (parts: ReadonlyArray<Part>): Listing.Listing => {
  const [unknown, ...others] = parts.flatMap((part) => part.unknown ?? [])
  const listing = {
    entries: packed(parts.map(({ pack }) => pack)),
    unlistable: parts.reduce((sum, part) => sum + part.unlistable, 0),
    unknown: unknown && {
      names: [unknown, ...others].flatMap(({ names }) => names),
      cause: errorOf(unknown.trouble),
    },
  }
  if (parts.some(({ otherNames }) => otherNames)) withOtherNames.add(listing)
  return listing
}

/** The parts of a listing that {@link listingOf} has made. */
export const partsOf = (listing: Listing.Listing): ReadonlyArray<Part> => {
  const { entries, unlistable, unknown } = listing
  const trouble = unknown && { names: unknown.names, trouble: troubleOf(unknown.cause) }
  const whole = { otherNames: hasOtherNames(listing), unlistable, unknown: trouble }
  const packs = entries instanceof PackedEntries ? entries.parts.map(({ pack }) => pack) : []
  return packs.map((pack, at) => (at === 0 ? { pack, ...whole } : { pack, otherNames: false, unlistable: 0 }))
}

/** Called before each part of a directory: others go first. Rejects when no one waits for the listing any more. */
export type Pause = () => Promise<void>

/**
 * What a held directory holds; whole, or a failure. Read once; or as a snapshot of one moment, even while it is being changed.
 * What is held is there, so whatever stops the reading is `external`.
 *
 * @param directory a path that leads to it
 */
export const listingIn = async (
  directory: string,
  isSnapshot: boolean,
  pause: Pause,
): Promise<E.Either<Failure.External, Listing.Listing>> => {
  try {
    const reading = readingOf(directory, isSnapshot)
    let parts: Array<Part> = []
    for (;;) {
      await pause()
      const { value } = reading.next()
      if (value?.isFirst === true) parts = []
      if (value) parts.push(value.part)
      if (!value || value.isLast) return E.right(listingOf(parts))
    }
  } catch (thrown) {
    return E.left(Failure.external(thrown))
  }
}
