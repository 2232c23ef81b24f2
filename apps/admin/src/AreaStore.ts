import type { Area, StoragePath } from '@canopy/domain'
import type { Account } from '@canopy/registry/admin'
import type { AreaNotCreatable, CreatedArea } from '@canopy/storage-fs/admin'
import type * as T from 'fp-ts/lib/Task.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { Problem } from './Command.js'
import type { Finding } from './findings.js'

/** A path in an area, and for a file its text. */
export type NewNode = readonly [path: string, text?: string]

/** What commands do with areas that differs between directories and an object store. */
export interface AreaStore {
  /** What an area is here. Only directories may be mount points, and may be anywhere. */
  readonly areaIs: 'directory' | 'key prefix'
  /** As an operator has named the storage. */
  readonly title: string
  /** `left` says what is wrong with the storage as a whole, and what to do. */
  readonly reachable: TE.TaskEither<string, void>
  /** Whether any area may be read at all: without `/proc` no directory is. */
  readonly readable: TE.TaskEither<Problem, void>
  /** Where an area is, for people: an absolute directory, or `s3://bucket/prefix/7/`. */
  readonly directoryOf: (location: Area.AreaLocation) => string
  /**
   * Where an area really lies, by every link, as a path in which `dirname` leads upwards; without a location the storage itself.
   * `undefined` for what this storage cannot hold.
   */
  readonly placeOf: (location?: Area.AreaLocation) => T.Task<string | undefined>
  /** Makes the directory or the marker of an area, or finds it there. */
  readonly create: (location: Area.AreaLocation) => TE.TaskEither<AreaNotCreatable, CreatedArea>
  /** The names directly in the storage: an id among them may be of another registry. */
  readonly names: TE.TaskEither<Problem, ReadonlyArray<string>>
  /** Walks an area whole: what may surprise in it, and the paths of nodes with a name that usually holds secrets. */
  readonly inspect: (account: Account, onNode: () => void) => AsyncIterable<Finding | StoragePath.StoragePath>
  /** Whether an area is there. */
  readonly has: (account: Account) => T.Task<boolean>
  /** Makes what is missing of these nodes, directories before what is in them; what is there stays. */
  readonly fill: (account: Account, nodes: ReadonlyArray<NewNode>) => TE.TaskEither<Problem, void>
  readonly close: () => void
}
