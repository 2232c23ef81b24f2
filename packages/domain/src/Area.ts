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
  /** The location was a mount point when the account got it. While it is none, a disk is missing: every answer is `external`. */
  readonly isMountPoint?: boolean
}

/** What a valid token opens: an area, from `scope` downwards. */
export interface Grant {
  readonly area: Area
  readonly scope: StoragePath
}
