import { type Area, type Failure, type StoragePath, U64, UserId } from '@canopy/domain'
import type { Account } from '@canopy/registry/admin'
import type { CreatedArea } from '@canopy/storage-fs/admin'
import type * as T from 'fp-ts/lib/Task.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import { type Problem, problem } from './Problem.js'

/** The operations on areas that differ between directories and an object store. */
export interface AreaStore {
  /** Only a directory can be a mount point or lie outside the storage. */
  readonly kind: 'directory' | 'key prefix' | 'area'
  /** The storage, as the operator configured it. */
  readonly title: string
  /** No server is ready while this fails. */
  readonly reachable: TE.TaskEither<Failure.External, unknown>
  /** Whether a server that serves files could read them; absent if only each file tells. */
  readonly filesReadable?: TE.TaskEither<Failure.External, unknown>
  /** Returns the area for people: an absolute directory, or `s3://bucket/prefix/7/`. */
  readonly directoryOf: (location: Area.AreaLocation) => string
  /**
   * Returns the real path of an area after all links, or of the storage without a location. `dirname` of it leads upwards.
   * `undefined` for a location that cannot belong to this storage.
   */
  readonly realPathOf: (location?: Area.AreaLocation) => T.Task<string | undefined>
  /** Checks without writing whether `create` can succeed. */
  readonly check: (location: Area.AreaLocation) => TE.TaskEither<Problem, unknown>
  /** Creates the directory or the marker of an area unless it exists. */
  readonly create: (location: Area.AreaLocation) => TE.TaskEither<Problem, CreatedArea>
  /** Reports whether something is mounted on an area or in it. */
  readonly holdsMount: (location: Area.AreaLocation) => boolean
  /** Reports whether something is at the location of an area. False also if the storage does not answer. */
  readonly exists: (location: Area.AreaLocation) => T.Task<boolean>
  /**
   * Walks an area until `onNode`, which it calls for each node, returns false. Yields findings, and the paths of nodes that are
   * named like secrets.
   */
  readonly inspect: (account: Account, onNode: () => boolean) => AsyncIterable<Finding | StoragePath.StoragePath>
  /** Creates a file with this text, or a directory without one. The parent directory must exist. */
  readonly put: (account: Account, path: StoragePath.StoragePath, text?: string) => TE.TaskEither<Problem, void>
  readonly close: () => unknown
}

/** A condition that an operator may want to change, and how. */
export interface Finding {
  /** Listed in docs/admin.md. */
  readonly kind: string
  readonly message: string
  /** The node in the area of the account. */
  readonly path?: StoragePath.StoragePath
  /** Probably intended: needs no attention. */
  readonly note?: boolean
}

export const notCreatable = problem('cannot create area')

/** The ports of a storage read no more of an area than its location. */
export const anyOwner = U64.clamp(0n) as UserId.UserId

export const areaOf = (account: Account): Area.Area => ({
  owner: account.id,
  location: account.location,
  isMountPoint: account.isMountPoint,
})

/** Returns a command about an account, for people to paste. */
export const commandOn = (command: string, { id }: Account, ...rest: ReadonlyArray<string>): string =>
  `\`canopy ${[command, UserId.toDecimal(id), ...rest].join(' ')}\``
