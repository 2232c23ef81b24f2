import type { BigIntStats } from 'node:fs'
import type { Failure, StoragePath } from '@canopy/domain'
import type * as E from 'fp-ts/lib/Either.js'

/** Something the file system has, of any kind; the same thing until it is closed, wherever its name goes meanwhile. */
export interface HeldNode {
  /** Its own path, when this is no directory and the path that was asked for runs through it. */
  readonly blocks?: StoragePath.StoragePath
  /** Throws what `node:fs` throws. */
  readonly stats: () => BigIntStats
  /** A path that leads to it while it is held. Below that of what is no directory nothing is found: it is ENOTDIR. */
  readonly reachedBy: string
  /**
   * Whether it still is where it was found: neither moved nor removed, nor anything that leads to it. A node whose real path
   * is longer than the kernel reports, 4,096 bytes, is taken to stand. Throws when the system does not answer.
   */
  readonly stands: () => boolean
  readonly close: () => void
}

export type Held = E.Either<Failure.OfStorage, HeldNode>

/**
 * Holds what is at a path of the area in `directory`, or what is no directory on the way there; whatever its kind, and never
 * opens it for reading.
 * Only real directories lead to it: no links, except on the way to `directory` itself. Where the file system folds names,
 * any spelling of a name leads to it: see `listedNames.ts`.
 */
export type HoldNode = (directory: string, path: StoragePath.StoragePath) => Held
