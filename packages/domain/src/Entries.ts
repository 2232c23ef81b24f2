import { pipe } from 'fp-ts/lib/function.js'
import * as N from 'fp-ts/lib/number.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import type { Entry } from './Entry.js'
import * as Name from './Name.js'
import * as U64 from './U64.js'

/**
 * The entries of a listing in their order: an array of them, or {@link packed}, or what gives them in the same way. What is
 * packed makes each whenever it is asked for: who remembers it remembers few objects, however many entries it has.
 */
export interface Entries<E extends Entry = Entry> extends Iterable<E> {
  readonly length: number
  readonly at: (index: number) => E | undefined
  readonly slice: (from?: number, to?: number) => Entries<E>
}

/** What stands for the size of a directory: 2^64-1. */
export const directorySize: bigint = U64.largest

/** Some entries that stand side by side, held closely: their names in one string, their numbers in one array. */
export interface Pack {
  /** In byte order, with slashes in between. Each is a {@link Name.Name}: nobody looks at them again. */
  readonly names: string
  /** Where each name begins, and where the next one would. */
  readonly starts: Uint32Array
  /**
   * For each name its size in bytes, or {@link directorySize} for a directory, and when it was modified, in seconds since
   * 1970. A file of just that size cannot be packed: give an array.
   */
  readonly numbers: BigUint64Array
}

interface Part {
  readonly pack: Pack
  /** How many entries come before it, and how many with it. */
  readonly first: number
  readonly end: number
}

/** What of a pack is meant. */
interface Range {
  readonly pack: Pack
  readonly low: number
  readonly high: number
  /** Where the first of the pack would be, counted from the first that is meant. */
  readonly index: number
}

type Indexed = readonly [index: number, entry: Entry]

/** Writes one entry: its name as JSON, with the quotes, and 0 for the size of a directory. */
export type WriteEntry = (isFile: boolean, name: string, last_modified: U64.U64, size: U64.U64) => string

const countOf = ({ starts }: Pack): number => starts.length - 1

const numberAt = (numbers: BigUint64Array, at: number): U64.U64 => (numbers[at] ?? 0n) as U64.U64

const isDirectory = ({ numbers }: Pack, at: number): boolean => numberAt(numbers, 2 * at) === directorySize

const entryIn = (pack: Pack, at: number): Entry => {
  const { names, starts, numbers } = pack
  const name = names.slice(starts[at], Number(starts[at + 1]) - 1) as Name.Name
  const last_modified = numberAt(numbers, 2 * at + 1)
  return isDirectory(pack, at)
    ? { type: 'dir', last_modified, name }
    : { type: 'file', size: numberAt(numbers, 2 * at), last_modified, name }
}

/** Which part holds an index, by halves. */
const partWith = (parts: ReadonlyArray<Part>, index: number, low = 0, high = parts.length): number => {
  if (high - low <= 1) return low
  const middle = Math.floor((low + high) / 2)
  return Number(parts[middle]?.first) <= index
    ? partWith(parts, index, middle, high)
    : partWith(parts, index, low, middle)
}

// biome-ignore lint/plugin: there are very many, and what they do is the same for all.
class PackedEntries implements Entries {
  private readonly parts: ReadonlyArray<Part>
  private readonly from: number
  private readonly to: number

  constructor(parts: ReadonlyArray<Part>, from: number, to: number) {
    this.parts = parts
    this.from = from
    this.to = to
  }

  get length(): number {
    return this.to - this.from
  }

  at(index: number): Entry | undefined {
    const [entry] = this.slice(index, index === -1 ? undefined : index + 1)
    return entry
  }

  slice(from = 0, to = this.length): Entries {
    const begin = this.placeOf(from)
    return new PackedEntries(this.parts, begin, Math.max(begin, this.placeOf(to)))
  }

  *[Symbol.iterator](): Generator<Entry, void> {
    for (const { pack, low, high } of this.ranges())
      for (const at of pack.starts.subarray(low, high).keys()) yield entryIn(pack, low + at)
  }

  *directories(): Generator<Indexed, void> {
    for (const { pack, low, high, index } of this.ranges())
      for (const at of pack.starts.subarray(low, high).keys())
        if (isDirectory(pack, low + at)) yield [index + low + at, entryIn(pack, low + at)]
  }

  texts(write: WriteEntry): ReadonlyArray<string> {
    const texts: Array<string> = []
    for (const { pack, low, high } of this.ranges()) {
      const { names, starts, numbers } = pack
      const nameJson = Name.jsonIn(names)
      for (const index of starts.subarray(low, high).keys()) {
        const at = low + index
        const name = nameJson(names.slice(starts[at], Number(starts[at + 1]) - 1))
        const size = numberAt(numbers, 2 * at)
        const isFile = size !== directorySize
        texts.push(write(isFile, name, numberAt(numbers, 2 * at + 1), isFile ? size : U64.zero))
      }
    }
    return texts
  }

  nameLength(): number {
    return this.ranges().reduce(
      (length, { pack: { starts }, low, high }) => length + Number(starts[high]) - Number(starts[low]) - (high - low),
      0,
    )
  }

  private placeOf(index: number): number {
    return this.from + Math.min(this.length, Math.max(0, index < 0 ? this.length + index : index))
  }

  private ranges(): ReadonlyArray<Range> {
    const { parts, from, to } = this
    return parts.slice(partWith(parts, from), partWith(parts, to - 1) + 1).map(({ pack, first, end }) => ({
      pack,
      low: Math.max(from, first) - first,
      high: Math.min(to, end) - first,
      index: first - from,
    }))
  }
}

/** The entries of these packs, in their order. */
export const packed = (packs: ReadonlyArray<Pack>): Entries => {
  const ends = pipe(packs, RA.map(countOf), RA.scanLeft(0, N.SemigroupSum.concat))
  const parts = RA.zipWith(packs, ends, (pack, first): Part => ({ pack, first, end: first + countOf(pack) }))
  return new PackedEntries(parts, 0, parts.at(-1)?.end ?? 0)
}

/** What is packed holds nothing but entries: there is no need to look at each. */
export const isPacked = (u: unknown): u is Entries => u instanceof PackedEntries

function* directoriesAmong(entries: Iterable<Entry>): Generator<Indexed, void> {
  for (const [index, entry] of [...entries].entries()) if (entry.type === 'dir') yield [index, entry]
}

/** The directories among entries, each with its index. What is packed makes no others to find them. */
export const directories = (entries: Entries): Iterable<Indexed> =>
  entries instanceof PackedEntries ? entries.directories() : directoriesAmong(entries)

const textOf =
  (write: WriteEntry) =>
  (entry: Entry): string =>
    write(
      entry.type === 'file',
      JSON.stringify(entry.name),
      entry.last_modified,
      entry.type === 'file' ? entry.size : U64.zero,
    )

/** What is written of each entry, in their order. What is packed makes no entry for it. */
export const texts = (entries: Entries, write: WriteEntry): ReadonlyArray<string> =>
  entries instanceof PackedEntries ? entries.texts(write) : Array.from(entries, textOf(write))

/** The length of all names together, as JavaScript counts. */
export const nameLength = (entries: Entries): number =>
  entries instanceof PackedEntries
    ? entries.nameLength()
    : Array.from(entries, ({ name }) => name.length).reduce(N.SemigroupSum.concat, 0)
