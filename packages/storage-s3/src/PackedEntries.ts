import { type Entry, type Listing, type Name, U64 } from '@canopy/domain'

/** The size of a directory in the packed numbers. */
const directorySize = -1

/**
 * Holds entries as one text and some flat numbers, because a tree holds all pages of a directory. Creates the object of an
 * entry each time it is read. Sizes and times come from the store as numbers, so that none is inexact.
 */
export class PackedEntries implements Listing.Entries {
  readonly length: number
  readonly #names: string
  /** The start of each name, and the end of the last. */
  readonly #starts: Uint32Array
  /** The size and the time of each entry. */
  readonly #numbers: Float64Array

  constructor(entries: ReadonlyArray<Entry.Entry>) {
    this.length = entries.length
    this.#names = entries.map(({ name }) => name).join('')
    this.#starts = new Uint32Array(entries.length + 1)
    this.#numbers = new Float64Array(2 * entries.length)
    for (const [index, entry] of entries.entries()) {
      this.#starts[index + 1] = Number(this.#starts[index]) + entry.name.length
      this.#numbers[2 * index] = entry.type === 'file' ? Number(entry.size) : directorySize
      this.#numbers[2 * index + 1] = Number(entry.last_modified)
    }
  }

  at(index: number): Entry.Entry | undefined {
    const position = index < 0 ? this.length + index : index
    if (position < 0 || position >= this.length) return undefined
    const name = this.#names.slice(this.#starts[position], this.#starts[position + 1]) as Name.Name
    const last_modified = u64(this.#numbers[2 * position + 1])
    return this.#numbers[2 * position] === directorySize
      ? { type: 'dir', name, last_modified }
      : { type: 'file', name, size: u64(this.#numbers[2 * position]), last_modified }
  }

  *[Symbol.iterator](): Generator<Entry.Entry, undefined> {
    for (let index = 0; index < this.length; index += 1) yield this.at(index) as Entry.Entry
    return undefined
  }
}

const u64 = (number = 0): U64.U64 => U64.clamp(BigInt(number))
