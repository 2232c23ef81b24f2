import { type Entry, type Listing, type Name, U64 } from '@canopy/domain'

/** In place of the size of a directory: 2^64-1. */
export const directorySize: bigint = U64.largest

/** Some entries side by side, held closely: their names in one string, their numbers in one array. */
export interface Pack {
  /** In byte order, with slashes in between. Each is a name of the domain. */
  readonly names: string
  /** Where each name begins, and where the next one would. */
  readonly starts: Uint32Array
  /** For each name its size in bytes, or {@link directorySize} for a directory, and when it was modified, in seconds since 1970. */
  readonly numbers: BigUint64Array
}

/** The names are in byte order. */
export const packOf = (names: ReadonlyArray<Name.Name>, numbers: BigUint64Array): Pack => {
  const starts = new Uint32Array(names.length + 1)
  let next = 0
  for (const [at, name] of names.entries()) {
    next += name.length + 1
    starts[at + 1] = next
  }
  return { names: names.join('/'), starts, numbers }
}

/** A pack and how many entries come before it. */
interface Part {
  readonly pack: Pack
  readonly before: number
}

const numberAt = (numbers: BigUint64Array, at: number): U64.U64 => (numbers[at] ?? 0n) as U64.U64

const entryIn = ({ names, starts, numbers }: Pack, at: number): Entry.Entry => {
  const name = names.slice(starts[at], Number(starts[at + 1]) - 1) as Name.Name
  const size = numberAt(numbers, 2 * at)
  const last_modified = numberAt(numbers, 2 * at + 1)
  return size === directorySize ? { type: 'dir', last_modified, name } : { type: 'file', size, last_modified, name }
}

// As measured: an entry without its name, and a UTF-16 unit of a name, which takes one byte where all of a pack are Latin.
const entryBytes = 20
const unitBytes = 2

/** A class, since a cache holds very many of them. */
export class PackedEntries implements Listing.Entries {
  readonly length: number
  readonly parts: ReadonlyArray<Part>

  constructor(parts: ReadonlyArray<Part>, length: number) {
    this.parts = parts
    this.length = length
  }

  at(index: number): Entry.Entry | undefined {
    const place = index < 0 ? this.length + index : index
    if (place < 0 || place >= this.length) return undefined
    let low = 0
    for (let high = this.parts.length; high - low > 1; ) {
      const middle = (low + high) >> 1
      if (Number(this.parts[middle]?.before) <= place) low = middle
      else high = middle
    }
    const part = this.parts[low]
    return part && entryIn(part.pack, place - part.before)
  }

  *[Symbol.iterator](): Generator<Entry.Entry, undefined> {
    for (const { pack } of this.parts)
      for (let at = 0, end = pack.starts.length - 1; at < end; at += 1) yield entryIn(pack, at)
    return undefined
  }

  /** What they take of memory, about. */
  get bytes(): number {
    return this.parts.reduce((sum, { pack }) => sum + pack.names.length * unitBytes, this.length * entryBytes)
  }
}

/** The entries of these packs, in their order. Each is made whenever it is asked for. */
export const packed = (packs: ReadonlyArray<Pack>): Listing.Entries => {
  const parts: Array<Part> = []
  let length = 0
  for (const pack of packs) {
    parts.push({ pack, before: length })
    length += pack.starts.length - 1
  }
  return new PackedEntries(parts, length)
}
