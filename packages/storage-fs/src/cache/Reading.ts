import type { Area, Entry, StoragePath } from '@canopy/domain'

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

/** One read of a directory, from before its first byte until its listing leaves the cache. */
export interface Reading {
  readonly place: Place
  readonly key: string
  /** Set by the first change, and never reset. */
  stale: boolean
  /** The subdirectories, whose modification times are in the listing. */
  directories: ReadonlyArray<Entry.Entry>
  readonly watches: Array<Watch>
}

/** The watch on the parent directory, and the name that leads down from it. */
export interface Step {
  readonly above: Watch
  readonly name: string
}

/** A watch on a directory, shared by all readings that depend on it. */
export interface Watch {
  readonly key: string
  /** `undefined` at `/`. */
  readonly step: Step | undefined
  /** Whether it is kept although unused. Only above the root of an area, if every change on its path is reported. */
  mayStay: boolean
  /** These readings depend on every entry of the directory. */
  readonly readings: Set<Reading>
  /**
   * The watches on its subdirectories, by name, because replacing one replaces everything below it. Several areas may watch the
   * same one.
   */
  readonly below: Map<string, ReadonlyArray<Watch>>
  stop: () => void
}
