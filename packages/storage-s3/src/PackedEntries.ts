import { type Entry, type Listing, type Name, U64 } from '@canopy/domain'
import { type ObjectFields, u64 } from './keys.js'

/** A file, or a directory without `file`. */
export interface ListedEntry {
  readonly name: Name.Name
  readonly file: ObjectFields | undefined
}

/** The size of a directory in the packed numbers. */
const directorySize = -1

/**
 * Holds entries as one text and some flat numbers, because a tree holds all pages of a directory. Creates the object of an
 * entry each time it is read. Sizes and times are below 2^53, so that no number is inexact.
 */
export class PackedEntries implements Listing.Entries {
  readonly length: number
  readonly #names: string
  /** The start of each name, and the end of the last. */
  readonly #starts: Uint32Array
  /** The size and the time of each entry. */
  readonly #numbers: Float64Array

  constructor(entries: ReadonlyArray<ListedEntry>) {
    this.length = entries.length
    this.#names = entries.map(({ name }) => name).join('')
    this.#starts = new Uint32Array(entries.length + 1)
    this.#numbers = new Float64Array(2 * entries.length)
    let [index, end] = [0, 0]
    for (const { name, file } of entries) {
      this.#numbers[2 * index] = file?.size ?? directorySize
      this.#numbers[2 * index + 1] = file?.modified ?? 0
      index += 1
      end += name.length
      this.#starts[index] = end
    }
  }

  at(index: number): Entry.Entry | undefined {
    const position = index < 0 ? this.length + index : index
    if (position < 0 || position >= this.length) return undefined
    const name = this.#names.slice(this.#starts[position], this.#starts[position + 1]) as Name.Name
    const [size, modified] = [Number(this.#numbers[2 * position]), Number(this.#numbers[2 * position + 1])]
    // Measured: copies by a spread fill the old space of V8 during a long listing.
    return size === directorySize
      ? { type: 'dir', name, last_modified: U64.zero }
      : { type: 'file', name, size: u64(size), last_modified: u64(modified) }
  }

  *[Symbol.iterator](): Generator<Entry.Entry, undefined> {
    for (let index = 0; index < this.length; index += 1) yield this.at(index) as Entry.Entry
    return undefined
  }
}
