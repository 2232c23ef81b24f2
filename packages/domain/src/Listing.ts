import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Entry } from './Entry.js'
import * as Name from './Name.js'

/** Only the array methods that the domain uses, so that an adapter can store entries compactly. In byte order of the names. */
export type Entries = Pick<ReadonlyArray<Entry>, 'length' | 'at' | typeof Symbol.iterator>

/** Entries that the storage could list but not examine. */
export interface Unknown {
  readonly names: ReadonlyArray<Name.Name>
  /** The first error, usually an `Error`. */
  readonly cause: unknown
}

/** One page of a directory, immutable: all entries between its start and `next` whose names are UTF-8. */
export interface Listing {
  /** In byte order of the names. */
  readonly entries: Entries
  /** The number of entries whose names are not those of a node; they are not in `entries`. */
  readonly unlistable: number
  /** The answer to a client who would see one of these entries is `external`. */
  readonly unknown?: Unknown | undefined
  /** The name after which the next page begins; absent on the last page. Never before the last entry's name. */
  readonly next?: string | undefined
  /** Set by an adapter whose directories may have several pages, on every page. */
  readonly isPaged?: boolean | undefined
}

/** The parent to pass for the directory at which the walk of a tree begins. */
export const noParent: Listing = { entries: [], unlistable: 0 }

/** Returns the index of the first entry after a name, by binary search; the number of entries if no entry follows. */
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
