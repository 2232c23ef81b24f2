import type { Area, StoragePath } from '@canopy/domain'

/** A directory below what stands at the root of an area. Where something else stands, everything below is elsewhere. */
export interface Place {
  readonly area: Area.Area
  /** The identity of what stands at the root. */
  readonly root: string
  readonly path: StoragePath.StoragePath
}

export const keyOf = ({ area, root, path }: Place): string => `${area.location}\0${root}\0${path}`
