import type { Area, StoragePath } from '@canopy/domain'

/**
 * A listing as it depends on watches: its identity and staleness. Created before the read, so that events during the read can mark
 * it stale. It does not hold the entries.
 */
export interface Dependent {
  readonly place: Place
  readonly key: string
  /** Set by the first change, and never reset. */
  isStale: boolean
}

/** A directory below the root of an area. If the root is replaced, no request has a key of the old root again. */
export interface Place {
  readonly area: Area.Area
  /** The identity of the root. */
  readonly root: string
  readonly path: StoragePath.StoragePath
}

/** Includes `isMountPoint`, because only an area on a mount point becomes `external` when unmounted. */
export const keyOf = ({ area: { isMountPoint, location }, root, path }: Place): string =>
  `${isMountPoint === true}\0${location}\0${root}\0${path}`
