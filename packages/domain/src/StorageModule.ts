import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { AreaLocation } from './Area.js'
import type { External } from './Failure.js'
import type { ListEnv, NodeAtEnv, OpenFileEnv } from './ports.js'

/** A storage that a service loads as a module. Its ports keep the laws of `@canopy/testkit`. */
export interface StorageModule extends NodeAtEnv, ListEnv, Partial<OpenFileEnv> {
  /** Whether areas can be read now. No service is ready while it fails. */
  readonly reachable: TE.TaskEither<External, unknown>
  /** Called once, after the last call of a port. A promise is awaited. */
  readonly close: () => unknown
  /**
   * The writing part: creates an empty area unless it exists. Without it, the `canopy` command creates accounts only for areas
   * that exist.
   */
  readonly createArea?: (location: AreaLocation) => TE.TaskEither<External, { readonly isNew: boolean }>
}

/** The default export of the module. The URL is that of the configuration, with the parameters of the adapter. */
export type OpenStorageModule = (url: string) => Promise<StorageModule>
