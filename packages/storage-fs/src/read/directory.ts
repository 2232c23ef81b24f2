import { lstatSync, readdirSync } from 'node:fs'
import { Failure, type Listing, type Name } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { nameOfBytes, nodeOfStats } from '../resolve/decode.js'
import { directorySize, PackedEntries } from './PackedEntries.js'

export interface DirectoryOptions {
  /** Lists the content of one moment, if the directory does not change for a moment. Costs twice as much. */
  readonly isSnapshot: boolean
  /** Awaited before each step, so that others can run. Rejects to cancel the reading. */
  readonly pause: () => Promise<void>
}

/** Lists a pinned directory completely, or fails. The directory exists while it is pinned, so each failure is `external`. */
export const listDirectory = async (
  directory: string,
  { isSnapshot, pause }: DirectoryOptions,
): Promise<E.Either<Failure.External, Listing.Listing>> => {
  try {
    const reading = await (isSnapshot ? readSnapshot(directory, pause) : read(directory, pause))
    const { unlistable, unknown, cause } = reading
    return E.right({
      entries: packed(reading),
      unlistable,
      unknown: unknown.length === 0 ? undefined : { names: unknown, cause },
    })
  } catch (thrown) {
    return E.left(Failure.external(thrown))
  }
}

/** The result of a reading, so far. */
class Reading {
  /** The names of files and directories. */
  readonly names: Array<Name.Name> = []
  /** See {@link Packed}. */
  readonly numbers: BigInt64Array
  hasHardLinks = false
  /** The number of names that are not valid UTF-8, or too long for a name. */
  unlistable = 0
  /** The entries that could not be examined, and the first error. */
  readonly unknown: Array<Name.Name> = []
  cause: unknown
  /** Whether an entry vanished before it was examined. */
  missesSome = false

  constructor(maxEntries: number) {
    this.numbers = new BigInt64Array(2 * maxEntries)
  }
}

/** The entries of a step take about a millisecond; three if each look-up fails. */
export const stepLength = 256

const read = async (directory: string, pause: DirectoryOptions['pause']): Promise<Reading> => {
  await pause()
  const listed = namesIn(directory)
  const reading = new Reading(listed.length)
  for (const [index, bytes] of listed.entries()) {
    if (index > 0 && index % stepLength === 0) await pause()
    const name = O.toUndefined(nameOfBytes(bytes))
    if (name === undefined) reading.unlistable += 1
    else examine(reading, `${directory}/${name}`, name)
  }
  return reading
}

// A directory that changes all the time must not block its caller, so the last reading counts after these milliseconds:
//     readings with the same names   up to 7: 200   8 and more: 20
//     readings with other names      up to 15: 400  16 and more: 40
// If only files are written, the listing mixes their moments at worst, but two readings with the same names prove that no name was
// missed.
const manyReadings = 8
const shortMs = 20
const maxMs = 200

/** Reads a directory until two successive readings are equal: a snapshot of the moment between them. */
const readSnapshot = async (directory: string, pause: DirectoryOptions['pause']): Promise<Reading> => {
  const began = performance.now()
  let before = await read(directory, pause)
  for (let readings = 2; ; readings += 1) {
    const reading = await read(directory, pause)
    const isSameNamed = haveSameNames(reading, before)
    if (isSameNamed && bytesOf(reading).equals(bytesOf(before))) return reading
    const patience = isSameNamed ? 1 : 2
    const longestMs = readings < patience * manyReadings ? maxMs : shortMs
    if (performance.now() - began > patience * longestMs) return reading
    before = reading
  }
}

/**
 * Returns the names in a directory as latin1, one character for each byte, in byte order: exact for every name, sorted by
 * JavaScript's own order, and much cheaper than a Buffer for each. Some file systems return a name twice if it is renamed
 * during the call.
 */
export const namesIn = (directory: string): ReadonlyArray<string> =>
  readdirSync(directory, { encoding: 'latin1' })
    .sort()
    .filter((name, index, names) => name !== names[index - 1])

/** Omits an entry that has vanished, or that is neither file nor directory. */
const examine = (reading: Reading, path: string, name: Name.Name): void => {
  try {
    const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false })
    if (stats === undefined) reading.missesSome = true
    const node = stats && O.toUndefined(nodeOfStats(stats, path))
    if (node === undefined) return
    const index = 2 * reading.names.push(name)
    reading.numbers[index - 2] = node.type === 'file' ? node.size : directorySize
    reading.numbers[index - 1] = node.last_modified
    if (node.type === 'file' && stats !== undefined && stats.nlink > 1n) reading.hasHardLinks = true
  } catch (thrown) {
    if (reading.unknown.push(name) === 1) reading.cause = thrown
  }
}

/** If a reading misses a name, equality proves nothing, because the other may have lost another renamed entry. */
const haveSameNames = (one: Reading, other: Reading): boolean =>
  !one.missesSome &&
  !other.missesSome &&
  one.unlistable === other.unlistable &&
  one.names.join('/') === other.names.join('/') &&
  one.unknown.join('/') === other.unknown.join('/')

const bytesOf = ({ names, numbers }: Reading): Buffer =>
  Buffer.from(numbers.buffer, 0, names.length * 2 * numbers.BYTES_PER_ELEMENT)

const packed = ({ names, numbers, hasHardLinks }: Reading): PackedEntries => {
  const starts = new Uint32Array(names.length + 1)
  for (const [index, name] of names.entries()) starts[index + 1] = Number(starts[index]) + name.length + 1
  return new PackedEntries({
    names: names.join('/'),
    starts,
    numbers: numbers.slice(0, 2 * names.length),
    hasHardLinks,
  })
}
