import type { Area, Entry, Listing, StoragePath } from '@canopy/domain'
import type * as O from 'fp-ts/lib/Option.js'

/** What a storage adapter can tell of changes. An adapter that can tell nothing gives `none` everywhere. */
export interface Notices {
  /**
   * Begins to watch one directory. After anything directly in it has changed (an entry made, removed, renamed, written
   * or touched) `changed` is called with the entry's name, no later than when the event loop has polled once more; with
   * `none` when the name is not known, or when it is the directory itself (its mode, say). `none` when this directory
   * cannot be watched. The result ends the watching.
   */
  readonly watch: (
    area: Area.Area,
    path: StoragePath.StoragePath,
    changed: (name: O.Option<string>) => void,
  ) => O.Option<() => void>
  /** What stands at the root of an area at this moment; `none` when nothing does. Cheap: asked for every answer. */
  readonly root: (area: Area.Area) => O.Option<AreaRoot>
  /** Whether a change of anything that this listing tells would be noticed. */
  readonly covers: (listing: Listing.Listing) => boolean
}

export interface AreaRoot {
  /** Differs when another directory stands there, as after a mount. */
  readonly identity: string
  readonly node: Entry.DirectoryNode
}
