// How a directory is read, and how what it holds is held: closely, since a cache holds very many entries.
import { lstatSync, readdirSync } from 'node:fs'
import { type Entry, Failure, type Listing, type Name, U64 } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { modifiedSeconds, nameOfBytes } from '../resolve/decode.js'

/** In place of the size of a directory: 2^64-1. */
const directorySize: bigint = U64.largest

// As measured: an entry without its name, and a UTF-16 unit of a name, which takes one byte where all are Latin.
const entryBytes = 20
const unitBytes = 2

/** The entries of a directory side by side. Plain values, which pass from process to process. */
export interface Packed {
  /** All names in byte order, with slashes in between. */
  readonly names: string
  /** Where each name begins, and where the next one would. */
  readonly starts: Uint32Array
  /** For each name its size in bytes, and when it was modified, in seconds since 1970. */
  readonly numbers: BigUint64Array
  /** Whether a file has another name elsewhere (a hard link), by which it may be written too. */
  readonly hasHardLinks: boolean
}

/** Each entry is made whenever it is asked for. */
export class PackedEntries implements Listing.Entries {
  readonly length: number
  readonly packed: Packed

  constructor(packed: Packed) {
    this.length = packed.starts.length - 1
    this.packed = packed
  }

  at(index: number): Entry.Entry | undefined {
    const at = index < 0 ? this.length + index : index
    if (at < 0 || at >= this.length) return undefined
    const { names, starts, numbers } = this.packed
    const name = names.slice(starts[at], Number(starts[at + 1]) - 1) as Name.Name
    const size = numbers[2 * at] as U64.U64
    const last_modified = numbers[2 * at + 1] as U64.U64
    return size === directorySize ? { type: 'dir', last_modified, name } : { type: 'file', size, last_modified, name }
  }

  *[Symbol.iterator](): Generator<Entry.Entry, undefined> {
    for (let at = 0; at < this.length; at += 1) yield this.at(at) as Entry.Entry
    return undefined
  }

  /** What they take of memory, about. */
  get bytes(): number {
    return this.packed.names.length * unitBytes + this.length * entryBytes
  }
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

/** What one reading of a directory has found so far. */
interface Found {
  /** Of files and directories, with two numbers for each. */
  readonly names: Array<Name.Name>
  readonly numbers: BigUint64Array
  hasHardLinks: boolean
  /** How many names are not valid UTF-8. */
  unlistable: number
  /** What could not be looked at, and what was thrown for the first of them. */
  readonly unknown: Array<Name.Name>
  cause: unknown
  /** Whether a name was gone when it was looked at. */
  missesSome: boolean
}

const options = { bigint: true, throwIfNoEntry: false } as const

const packed = ({ names, numbers, hasHardLinks }: Found): PackedEntries => {
  const starts = new Uint32Array(names.length + 1)
  let next = 0
  for (const [at, name] of names.entries()) {
    next += name.length + 1
    starts[at + 1] = next
  }
  return new PackedEntries({
    names: names.join('/'),
    starts,
    numbers: numbers.slice(0, 2 * names.length),
    hasHardLinks,
  })
}

/** Leaves out what is gone, and what is neither file nor directory. Whether a listing without the unknown is whole depends on who asks. */
const lookAt = (found: Found, directory: string, bytes: string): void => {
  const name = O.toUndefined(nameOfBytes(bytes))
  if (name === undefined) {
    found.unlistable += 1
    return
  }
  const path = `${directory}/${name}`
  try {
    const stats = lstatSync(path, options)
    const isFile = stats?.isFile() === true
    if (stats === undefined) found.missesSome = true
    else if (isFile || stats.isDirectory()) {
      const at = 2 * found.names.length
      found.numbers[at] = isFile ? stats.size : directorySize
      found.numbers[at + 1] = modifiedSeconds(stats, lstatSync, path)
      if (isFile && stats.nlink > 1n) found.hasHardLinks = true
      found.names.push(name)
    }
  } catch (thrown) {
    if (found.unknown.push(name) === 1) found.cause = thrown
  }
}

/** As many entries are looked at within a millisecond; where each look fails, within three. */
export const stepLength = 256

// A directory that changes all the time is not waited for: as many readings, or more of them while they are short; and never
// longer than the most. One in which names change too is waited for twice as long: files that are written to all the time are
// of several moments at the worst, but between two readings of the same names none was missed.
const manyReadings = 8
const shortMs = 20
const mostMs = 200

/** What misses a name, found twice, would be no state of the directory: each time another one may have been renamed. */
const sameNames = (one: Found, other: Found): boolean =>
  !one.missesSome &&
  !other.missesSome &&
  one.unlistable === other.unlistable &&
  one.names.join('/') === other.names.join('/') &&
  one.unknown.join('/') === other.unknown.join('/')

const bytesOf = ({ names, numbers }: Found): Buffer =>
  Buffer.from(numbers.buffer, 0, names.length * 2 * numbers.BYTES_PER_ELEMENT)

/**
 * Reads a directory step by step: once, or until two readings in succession find the same. That is what it held at the
 * moment between them: a snapshot.
 */
export function* readingOf(directory: string, isSnapshot: boolean): Generator<void, Found> {
  const began = performance.now()
  let before: Found | undefined
  for (let readings = 1; ; readings += 1) {
    const listed = namesIn(directory)
    const found: Found = {
      names: [],
      numbers: new BigUint64Array(2 * listed.length),
      hasHardLinks: false,
      unlistable: 0,
      unknown: [],
      cause: undefined,
      missesSome: false,
    }
    for (const [at, name] of listed.entries()) {
      if (at > 0 && at % stepLength === 0) yield
      lookAt(found, directory, name)
    }
    if (!isSnapshot) return found
    const sameNamed = before !== undefined && sameNames(found, before) ? before : undefined
    if (sameNamed !== undefined && bytesOf(found).equals(bytesOf(sameNamed))) return found
    const patience = sameNamed === undefined ? 2 : 1
    const longestMs = readings < patience * manyReadings ? mostMs : shortMs
    if (readings > 1 && performance.now() - began > patience * longestMs) return found
    before = found
    yield
  }
}

/** Called before each step: others go first. Rejects when no one waits for the listing any more. */
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
    for (;;) {
      await pause()
      const { done, value: found } = reading.next()
      if (done !== true) continue
      const { unlistable, unknown, cause } = found
      return E.right({
        entries: packed(found),
        unlistable,
        unknown: unknown.length === 0 ? undefined : { names: unknown, cause },
      })
    }
  } catch (thrown) {
    return E.left(Failure.external(thrown))
  }
}
