import type { StoragePath } from './StoragePath.js'
import type { UserId } from './UserId.js'

/** Where a storage adapter keeps an area, such as a directory or a key prefix. Only the adapter interprets it. */
export type AreaLocation = string & { readonly AreaLocation: unique symbol }

/** Accepts any text, because the storage adapter validates it. */
export const location = (text: string): AreaLocation => text as AreaLocation

/** One account's storage. */
export interface Area {
  /** The account whose settings apply. */
  readonly owner: UserId
  readonly location: AreaLocation
  /**
   * For directories only: the location was a mount point when the account was created. Without a mount there, the disk is missing
   * and every call is `external`.
   */
  readonly isMountPoint?: boolean
}

/** Compares by value, because an adapter may build a new object for each call. */
export const isSame = (x: Area, y: Area): boolean =>
  x.owner === y.owner && x.location === y.location && x.isMountPoint === y.isMountPoint

/** The part of an area that a valid token opens: `scope` and everything below it. */
export interface Grant {
  readonly area: Area
  readonly scope: StoragePath
}
