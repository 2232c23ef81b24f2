import type { BigIntStats } from 'node:fs'
import { Failure, type Listing, type Name } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import { nameOfBytes } from './decode.js'
import { mapInSlices, slices, yieldNow } from './eventLoop.js'
import type { HeldNode } from './holdNode.js'
import { type Pack, packed } from './packedEntries.js'
import { readingOf } from './readDirectory.mjs'
import { type Found, readers, type Trouble } from './readers.js'

// From what was found to a listing

const packOf = (names: string, numbers: BigUint64Array): Pack => {
  const starts = new Uint32Array(numbers.length / 2 + 1)
  for (let at = 1; at < starts.length; at += 1) {
    const slash = names.indexOf('/', starts[at - 1])
    starts[at] = slash === -1 ? names.length + 1 : slash + 1
  }
  return { names, starts, numbers }
}

/** Without the names that are none for the domain. */
const decoded = ({ count, names, numbers }: Found): Pack => {
  const listable: Array<Name.Name> = []
  const own = new BigUint64Array(2 * count)
  for (const [at, bytes] of names.split('/').entries()) {
    const name = O.toUndefined(nameOfBytes(bytes))
    if (name === undefined) continue
    own.set(numbers.subarray(2 * at, 2 * at + 2), 2 * listable.length)
    listable.push(name)
  }
  return packOf(listable.join('/'), own.slice(0, 2 * listable.length))
}

/** What a directory holds is a name in all but its encoding, and ASCII is UTF-8. The numbers leave the message they came in. */
const packOfFound = (found: Found): Pack =>
  /[^\0-\x7f]/.test(found.names) ? decoded(found) : packOf(found.names, found.numbers.slice(0, 2 * found.count))

/** As it was thrown where the directory was read. */
const errorOf = ({ code, message }: Trouble): Error => Object.assign(new Error(message), { code })

const unknownIn = async (parts: ReadonlyArray<Found>): Promise<Listing.Unknown | undefined> => {
  const found = parts.flatMap(({ unknown }) => unknown ?? [])
  if (found[0] === undefined) return undefined
  const names = await mapInSlices(found, (each) => RA.filterMap(nameOfBytes)(each.names.split('/')))
  return { names: names.flat(), cause: errorOf(found[0].trouble) }
}

const withOtherNames = new WeakSet<Listing.Listing>()

/** Whether a listing holds a file that has another name elsewhere (a hard link), by which it may be written too. */
export const hasOtherNames = (listing: Listing.Listing): boolean => withOtherNames.has(listing)

/** The listing of all its parts. One part is packed at once, many in slices. */
export const listingOf = async (parts: ReadonlyArray<Found>): Promise<Listing.Listing> => {
  const entries = packed(parts.length === 1 ? parts.map(packOfFound) : await mapInSlices(parts, packOfFound))
  const unlistable = parts.reduce((sum, part) => sum + part.unlistable + part.count, 0) - entries.length
  const listing = { entries, unknown: await unknownIn(parts), unlistable }
  if (parts.some(({ otherNames }) => otherNames)) withOtherNames.add(listing)
  return listing
}

// Here, or by another process

/** In any stretch of as many milliseconds this thread reads for about `mostMs`, while others could read instead. */
const stretchMs = 20
const mostMs = 1

/** What this thread has lately spent on reading: whether it may go on, and a way to spend. */
export const ownTime = (now: () => number = () => performance.now()) => {
  let since = 0
  let spent = 0
  return {
    isLeft: (): boolean => {
      if (now() - since > stretchMs) {
        since = now()
        spent = 0
      }
      return spent < mostMs
    },
    spend: <A>(read: () => A): A => {
      const began = now()
      try {
        return read()
      } finally {
        spent += now() - began
      }
    },
  }
}

// In bytes, as a directory itself says: some hundred names, and some thousand. A file system that does not say (0) may have
// any number of them.
const smallBytes = 16_384
const largeBytes = 65_536

const pool = readers()
const time = ownTime()

const isUpTo = ({ size }: BigIntStats, bytes: number): boolean => size > 0n && size <= bytes

/**
 * Another process reads at half the cost and delays no answer; only the way there and back makes a small directory sooner
 * read here, as long as no other one is read and this thread has not read enough lately. A large one waits for its start.
 */
const isReadHere = (stats: BigIntStats): boolean =>
  (isUpTo(stats, smallBytes) && pool.areQuiet() && time.isLeft()) || (isUpTo(stats, largeBytes) && !pool.areReady())

/** At once as long as time is left, and then in slices: a process that could read may not have started yet. */
const here = async (directory: string, isSnapshot: boolean): Promise<Listing.Listing> => {
  if (!time.isLeft()) await yieldNow()
  const reading = readingOf({ directory }, isSnapshot)
  const sliceEnd = slices()
  let parts: ReadonlyArray<Found> = []
  for (;;) {
    const { value } = time.spend(() => reading.next())
    if (!value) return listingOf(parts)
    parts = value.isFirst ? [value.part] : [...parts, value.part]
    if (value.isLast) return listingOf(parts)
    await sliceEnd()
  }
}

const elsewhere = async (directory: string, isSnapshot: boolean): Promise<Listing.Listing> => {
  const outcome = await pool.read(directory, isSnapshot)
  if (O.isNone(outcome)) return here(directory, isSnapshot)
  if ('trouble' in outcome.value) throw errorOf(outcome.value.trouble)
  return listingOf(outcome.value.parts)
}

/**
 * What a held directory holds; whole, or a failure. Read once; or as a snapshot of one moment, even while it is being changed.
 * What is held is there, so whatever stops the reading is `external`.
 */
export const readListing = async (
  { reachedBy }: HeldNode,
  stats: BigIntStats,
  isSnapshot: boolean,
): Promise<E.Either<Failure.External, Listing.Listing>> => {
  try {
    return E.right(await (isReadHere(stats) ? here : elsewhere)(reachedBy, isSnapshot))
  } catch (thrown) {
    return E.left(Failure.external(thrown))
  }
}
