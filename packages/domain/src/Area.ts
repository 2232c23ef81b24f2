import type { StoragePath } from './StoragePath.js'
import type { UserId } from './UserId.js'

export interface AreaLocationBrand {
  readonly AreaLocation: unique symbol
}

/** Where a storage adapter keeps an area. Only the adapter reads it: a directory here, a key prefix elsewhere. */
export type AreaLocation = string & AreaLocationBrand

export const location = (text: string): AreaLocation => text as AreaLocation

/** One account's storage. */
export interface Area {
  readonly owner: UserId
  readonly location: AreaLocation
}

/** What a valid token opens: an area, from `scope` downwards. */
export interface Grant {
  readonly area: Area
  readonly scope: StoragePath
}
