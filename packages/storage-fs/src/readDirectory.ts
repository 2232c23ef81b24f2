import { createHash } from 'node:crypto'
import { lstatSync, readdirSync } from 'node:fs'
import { Failure, type Listing, type Name } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { errnoOf, modifiedSeconds, nameOfBytes } from './decode.js'
import { directorySize, type Pack, PackedEntries, packed, packOf } from './packedEntries.js'

/** As many entries are looked at within a millisecond; where each look fails, within three. */
export const partLength = 256

/** What stopped a look at an entry or a call: an Error would lose its code on the way from process to process. */
export interface Trouble {
  /** Such as `EACCES`; empty when it is no failure of the system. */
  readonly code: string
  readonly message: string
}

export const troubleOf = (thrown: unknown): Trouble => ({
  code: errnoOf(thrown),
  message: thrown instanceof Error ? thrown.message : String(thrown),
})

/** As it was thrown where the directory was read. */
export const errorOf = ({ code, message }: Trouble): Error => Object.assign(new Error(message), code && { code })

/** A part of what a directory holds. Plain values, which pass from process to process. */
export interface Part {
  /** Files and directories only. */
  readonly pack: Pack
  /** Whether a file in it has another name elsewhere. */
  readonly otherNames: boolean
  /** How many names are not valid UTF-8. */
  readonly unlistable: number
  /** What could not be looked at, and what stopped the first look. */
  readonly unknown?: { readonly names: ReadonlyArray<Name.Name>; readonly trouble: Trouble } | undefined
}

/**
 * The names in a directory in byte order, each once, each byte a character: exact for every name, ordered as bytes by
 * JavaScript's own order, and several times cheaper than a Buffer each. Some file systems return a name twice, such as one
 * that is renamed while they are read.
 */
export const namesIn = (directory: string): ReadonlyArray<string> =>
  readdirSync(directory, { encoding: 'latin1' })
    .sort()
    .filter((name, at, names) => name !== names[at - 1])

const options = { bigint: true, throwIfNoEntry: false } as const

/**
 * Looks at the names of a part. What has vanished since the names were read is left out (`vanished` is called then), and so
 * is what is neither file nor directory. What cannot be looked at is named: whether the listing is whole without it depends
 * on who asks.
 */
const partOf = (directory: string, candidates: ReadonlyArray<string>, vanished: () => void): Part => {
  const numbers = new BigUint64Array(candidates.length * 2)
  const names: Array<Name.Name> = []
  const unknown: Array<Name.Name> = []
  let trouble: Trouble | undefined
  let otherNames = false
  let unlistable = 0
  for (const bytes of candidates) {
    const name = O.toUndefined(nameOfBytes(bytes))
    if (name === undefined) {
      unlistable += 1
      continue
    }
    const path = `${directory}/${name}`
    try {
      const stats = lstatSync(path, options)
      if (stats === undefined) {
        vanished()
        continue
      }
      const at = 2 * names.length
      if (stats.isFile()) {
        numbers[at] = stats.size
        if (stats.nlink > 1n) otherNames = true
      } else if (stats.isDirectory()) numbers[at] = directorySize
      else continue
      numbers[at + 1] = modifiedSeconds(stats, lstatSync, path)
      names.push(name)
    } catch (thrown) {
      unknown.push(name)
      trouble ??= troubleOf(thrown)
    }
  }
  return {
    pack: packOf(names, numbers.slice(0, 2 * names.length)),
    otherNames,
    unlistable,
    unknown: trouble && { names: unknown, trouble },
  }
}

// A directory that changes all the time is not waited for: as many readings, or more of them while they are short; and never
// longer than the most. One in which names change too is waited for twice as long: files that are written to all the time are
// of several moments at the worst, but between two readings of the same names none was missed.
const manyReadings = 8
const shortMs = 20
const mostMs = 200

/** A part of a reading. */
interface Step {
  readonly part: Part
  /** Whether it begins the directory again: what came before is void. */
  readonly isFirst: boolean
  readonly isLast: boolean
}

/**
 * Reads a directory part by part: once, or until two readings in succession find the same. That is what it held at the
 * moment between them: a snapshot.
 */
export function* readingOf(directory: string, isSnapshot: boolean): Generator<Step, void> {
  const began = performance.now()
  let before: { readonly all: string; readonly names: string } | undefined
  for (let readings = 1; ; readings += 1) {
    const all = createHash('sha256')
    const names = createHash('sha256')
    let missesSome = false
    // What misses an entry, found twice, would be no state of the directory: each time another one may have been renamed.
    const isEnough = (): boolean => {
      const found = missesSome ? undefined : { all: all.digest('hex'), names: names.digest('hex') }
      const isSame = found !== undefined && found.all === before?.all
      const patience = found !== undefined && found.names === before?.names ? 1 : 2
      before = found
      if (readings === 1 || isSame) return isSame
      const longestMs = readings < patience * manyReadings ? mostMs : shortMs
      return performance.now() - began > patience * longestMs
    }
    const listed = namesIn(directory)
    for (let from = 0; from === 0 || from < listed.length; from += partLength) {
      const part = partOf(directory, listed.slice(from, from + partLength), () => {
        missesSome = true
      })
      if (isSnapshot) {
        const text = `${part.pack.names}\0${part.unknown?.names.join('/') ?? ''}\0${part.unlistable}\0`
        names.update(text)
        all.update(text).update(part.pack.numbers)
      }
      const isLast = from + partLength >= listed.length && (!isSnapshot || isEnough())
      yield { part, isFirst: from === 0, isLast }
      if (isLast) return
    }
  }
}

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
