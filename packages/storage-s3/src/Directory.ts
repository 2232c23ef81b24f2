import { type Entry, Listing, Name, U64 } from '@canopy/domain'
import type { Found } from './keys.js'

/** What the keys that were read so far say of a directory, and of those below it. */
export interface Directory {
  /** In byte order of their names. The keys have another order: `a-b` comes before `a/x`, and after `a`. */
  readonly entries: Array<Entry.Entry>
  readonly below: Map<Name.Name, Directory>
  /** Segments of keys that name nothing here. */
  readonly unlistable: Set<string>
}

export const emptyDirectory = (): Directory => ({ entries: [], below: new Map(), unlistable: new Set() })

/** A directory wins over an object of the same name. */
const addEntry = ({ entries }: Directory, entry: Entry.Entry): void => {
  const last = entries.at(-1)
  if (last === undefined || Name.byBytes.compare(last.name, entry.name) < 0) {
    entries.push(entry)
    return
  }
  const place = Listing.indexAfter(entries, entry.name)
  const isKnown = entries[place - 1]?.name === entry.name
  if (!isKnown) entries.splice(place, 0, entry)
  else if (entry.type === 'dir') entries[place - 1] = entry
}

const childOf = (directory: Directory, name: Name.Name): Directory => {
  const known = directory.below.get(name)
  if (known !== undefined) return known
  const child = emptyDirectory()
  directory.below.set(name, child)
  addEntry(directory, { type: 'dir', name, last_modified: U64.zero })
  return child
}

/** Adds what a key says, whether it is of the directory itself or of one far below it. */
export const add = (directory: Directory, { names, noName, file }: Found): void => {
  const name = file && names.at(-1)
  const above = (name === undefined ? names : names.slice(0, -1)).reduce(childOf, directory)
  if (noName !== undefined) above.unlistable.add(noName)
  if (file !== undefined && name !== undefined)
    addEntry(above, { type: 'file', name, size: file.size, last_modified: file.last_modified })
}

export const listingOf = ({ entries, unlistable }: Directory): Listing.Listing => ({
  entries,
  unlistable: unlistable.size,
})
