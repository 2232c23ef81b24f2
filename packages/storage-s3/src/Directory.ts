import { type Entry, Listing, Name, U64 } from '@canopy/domain'
import type { ListedKey } from './keys.js'

/** A directory and its subdirectories, according to the keys that were read so far. */
export interface Directory {
  /** In byte order of the names. The keys have another order: `a-b` sorts between the keys `a` and `a/x`. */
  readonly entries: Array<Entry.Entry>
  readonly below: Map<Name.Name, Directory>
  /** Segments that are not names. */
  readonly unlistable: Set<string>
}

export const emptyDirectory = (): Directory => ({ entries: [], below: new Map(), unlistable: new Set() })

/** Adds an entry. A directory wins over a file of the same name. */
const addEntry = ({ entries }: Directory, entry: Entry.Entry): void => {
  const last = entries.at(-1)
  if (last === undefined || Name.byBytes.compare(last.name, entry.name) < 0) {
    entries.push(entry)
    return
  }
  const index = Listing.indexAfter(entries, entry.name)
  const isKnown = entries[index - 1]?.name === entry.name
  if (!isKnown) entries.splice(index, 0, entry)
  else if (entry.type === 'dir') entries[index - 1] = entry
}

const childOf = (directory: Directory, name: Name.Name): Directory => {
  const known = directory.below.get(name)
  if (known !== undefined) return known
  const child = emptyDirectory()
  directory.below.set(name, child)
  addEntry(directory, { type: 'dir', name, last_modified: U64.zero })
  return child
}

/** Adds the nodes that a key shows, at any depth below the directory. */
export const add = (directory: Directory, { names, invalidSegment, file }: ListedKey): void => {
  const name = file && names.at(-1)
  const above = (name === undefined ? names : names.slice(0, -1)).reduce(childOf, directory)
  if (invalidSegment !== undefined) above.unlistable.add(invalidSegment)
  if (file !== undefined && name !== undefined)
    addEntry(above, { type: 'file', name, size: file.size, last_modified: file.last_modified })
}

/** Returns the whole directory as one page. */
export const listingOf = ({ entries, unlistable }: Directory): Listing.Listing => ({
  entries,
  unlistable: unlistable.size,
  isPaged: true,
})
