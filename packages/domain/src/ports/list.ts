import * as RTE from 'fp-ts/lib/ReaderTaskEither.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { Area } from '../Area.js'
import type { OfStorage } from '../Failure.js'
import type { Listing } from '../Listing.js'
import type { StoragePath } from '../StoragePath.js'

export interface ListEnv {
  /**
   * Everything directly in a directory, whoever may see it. `type mismatch` when the path is a file or runs through
   * one; `file not found` and `external` as for `nodeAt`, and `external` when it may not be listed. An entry that vanishes
   * meanwhile is left out, one that cannot be looked at is named in `unknown`; a listing is otherwise whole, or it fails.
   */
  readonly list: (area: Area, path: StoragePath) => TE.TaskEither<OfStorage, Listing>
}

export const list = (area: Area, path: StoragePath): RTE.ReaderTaskEither<ListEnv, OfStorage, Listing> =>
  RTE.asksReaderTaskEither((env: ListEnv) => RTE.fromTaskEither(env.list(area, path)))
