import { type Listing, Name } from '@canopy/domain'
import type { ListedKey, ObjectFields } from './keys.js'
import { PackedEntries } from './PackedEntries.js'

/** A directory and its subdirectories, according to the keys that were read so far. */
export interface Directory {
  /** Not in the order of the names, because the keys have another order: `a-b` sorts between the keys `a` and `a/x`. */
  readonly files: Map<Name.Name, ObjectFields>
  readonly below: Map<Name.Name, Directory>
  /** Segments that are not names. */
  readonly unlistable: Set<string>
}

export const emptyDirectory = (): Directory => ({ files: new Map(), below: new Map(), unlistable: new Set() })

const childOf = ({ below }: Directory, name: Name.Name): Directory => {
  const child = below.get(name) ?? emptyDirectory()
  below.set(name, child)
  return child
}

/** Adds the nodes that a key shows, at any depth below the directory. */
export const add = (directory: Directory, { names, invalidSegment, file }: ListedKey): void => {
  const name = file && names.at(-1)
  const above = (name === undefined ? names : names.slice(0, -1)).reduce(childOf, directory)
  if (invalidSegment !== undefined) above.unlistable.add(invalidSegment)
  if (file !== undefined && name !== undefined) above.files.set(name, file)
}

/** Returns the whole directory as one page. A directory wins over a file of the same name. */
export const listingOf = ({ files, below, unlistable }: Directory): Listing.Listing => {
  const entries = [...new Set([...files.keys(), ...below.keys()])]
    .sort(Name.byBytes.compare)
    .map((name) => ({ name, file: below.has(name) ? undefined : files.get(name) }))
  return { entries: new PackedEntries(entries), unlistable: unlistable.size, isPaged: true }
}
