import type { BigIntStats } from 'node:fs'
import type { Failure, StoragePath } from '@canopy/domain'
import type * as E from 'fp-ts/lib/Either.js'

/** Something the file system has, of any kind; the same thing until it is closed, wherever its name goes meanwhile. */
export interface HeldNode {
  readonly stats: BigIntStats
  /** A path that leads to it while it is held. */
  readonly reachedBy: string
  /**
   * Whether it still is where it was found: neither moved nor removed, nor anything that leads to it. One whose real path is
   * longer than the kernel tells, 4,096 bytes, is taken to stand.
   */
  readonly stands: () => boolean
  readonly close: () => void
}

export type Held = E.Either<Failure.OfStorage, HeldNode>

/**
 * Holds what is at a path of the area in `directory`, whatever its kind, and never opens it for reading.
 * Only real directories lead to it: no links, except on the way to `directory` itself.
 */
export type HoldNode = (directory: string, path: StoragePath.StoragePath) => Held
