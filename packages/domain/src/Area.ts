import type { StoragePath } from './StoragePath.js'
import type { UserId } from './UserId.js'

/** Where a storage adapter keeps an area. Only the adapter reads it: a directory here, a key prefix elsewhere. */
export type AreaLocation = string & { readonly AreaLocation: unique symbol }

/** Any text is one: what it means, and whether anything is there, only the storage adapter knows. */
export const location = (text: string): AreaLocation => text as AreaLocation

/** One account's storage. */
export interface Area {
  /** Whose settings hold in it. */
  readonly owner: UserId
  readonly location: AreaLocation
  /**
   * Its directory was a mount point when it was given to the account: while it is none, a storage adapter that has mount points
   * answers `external`, since a disk that is not mounted must not look like an empty one. Other adapters ignore it.
   */
  readonly isMountPoint?: boolean
}

/** What a valid token opens: an area, from `scope` downwards. */
export interface Grant {
  readonly area: Area
  readonly scope: StoragePath
}
