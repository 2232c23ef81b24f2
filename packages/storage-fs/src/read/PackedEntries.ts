import type { Entry, Listing, Name, U64 } from '@canopy/domain'

/** The size of a directory in {@link Packed}. */
export const directorySize = -1n

/** The entries of a directory as a few flat values, which also pass between processes. */
export interface Packed {
  /** All names in byte order, separated by slashes. */
  readonly names: string
  /** The start of each name, and of a name that would follow the last. */
  readonly starts: Uint32Array
  /** The size and the modification time in seconds of each entry. */
  readonly numbers: BigInt64Array
  /** Whether a file has another hard link, through which it may be written. */
  readonly hasHardLinks: boolean
}

/** Creates the object of an entry each time it is read. */
export class PackedEntries implements Listing.Entries {
  readonly length: number
  readonly packed: Packed

  constructor(packed: Packed) {
    this.length = packed.starts.length - 1
    this.packed = packed
  }

  at(index: number): Entry.Entry | undefined {
    const position = index < 0 ? this.length + index : index
    if (position < 0 || position >= this.length) return undefined
    const { names, starts, numbers } = this.packed
    const name = names.slice(starts[position], Number(starts[position + 1]) - 1) as Name.Name
    const size = numbers[2 * position] as U64.U64
    const last_modified = numbers[2 * position + 1] as U64.U64
    return size === directorySize ? { type: 'dir', last_modified, name } : { type: 'file', size, last_modified, name }
  }

  *[Symbol.iterator](): Generator<Entry.Entry, undefined> {
    for (let index = 0; index < this.length; index += 1) yield this.at(index) as Entry.Entry
  }
}
