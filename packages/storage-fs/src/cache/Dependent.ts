import type { Area, StoragePath } from '@canopy/domain'

/** A directory below the root of an area. If the root is replaced, the keys of the old one match nothing. */
export interface Place {
  readonly area: Area.Area
  /** The identity of the root. */
  readonly root: string
  readonly path: StoragePath.StoragePath
}

/** Includes `isMountPoint`, because only an area on a mount point becomes `external` when unmounted. */
export const keyOf = ({ area: { isMountPoint, location }, root, path }: Place): string =>
  `${isMountPoint === true}\0${location}\0${root}\0${path}`

/** A listing in the cache, or one being read for it, as its watches know it. Begins before the first byte is read. */
export interface Dependent {
  readonly place: Place
  readonly key: string
  /** Set by the first change, and never reset. */
  isStale: boolean
}
