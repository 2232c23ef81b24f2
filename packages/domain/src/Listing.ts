import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as Name from './Name.js'
import type { U64 } from './U64.js'

/** A node as storage knows it, before anyone asked who may see it. Nothing else exists: no links, sockets, devices. */
export type Node = FileNode | DirectoryNode

export interface FileNode {
  readonly type: 'file'
  /** In bytes. */
  readonly size: U64
  /** Unix time in whole seconds, rounded down, at least 0. */
  readonly last_modified: U64
}

export interface DirectoryNode {
  readonly type: 'dir'
  /** Unix time in whole seconds, rounded down, at least 0. */
  readonly last_modified: U64
}

export type Entry = Node & { readonly name: Name.Name }

/** What the domain needs of an array of entries. An adapter may give something more compact. In byte order of their names. */
export type Entries = Pick<ReadonlyArray<Entry>, 'length' | 'at' | typeof Symbol.iterator>

/** Entries of which a storage knows the names and nothing else. */
export interface Unknown {
  readonly names: ReadonlyArray<Name.Name>
  /** What was thrown for the first of them, usually an Error. */
  readonly cause: unknown
}

/** What one directory held at one moment. Immutable; entries in byte order of their names. */
export interface Listing {
  readonly entries: Entries
  /** How many entries were left out because their name is not valid UTF-8. */
  readonly unlistable: number
  /**
   * What could not be looked at, such as a dead mount. The listing fails for an asker who would see one of these, and for no
   * other.
   */
  readonly unknown?: Unknown | undefined
}

/** In place of a parent, for the directory at which the walk of a tree begins. */
export const treeBegins: Listing = { entries: [], unlistable: 0 }

/** The index of the first entry after a name, by halves; the number of entries when there is none. */
export const indexAfter = (entries: Entries, name: string, low = 0, high = entries.length): number => {
  if (low >= high) return low
  const middle = Math.floor((low + high) / 2)
  const entry = entries.at(middle)
  return entry !== undefined && Name.byBytes.compare(entry.name, name) > 0
    ? indexAfter(entries, name, low, middle)
    : indexAfter(entries, name, middle + 1, high)
}

export const named = ({ entries }: Listing, name: Name.Name): O.Option<Entry> =>
  pipe(
    O.fromNullable(entries.at(indexAfter(entries, name) - 1)),
    O.filter((entry) => entry.name === name),
  )
