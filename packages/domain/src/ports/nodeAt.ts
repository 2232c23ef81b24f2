import * as RTE from 'fp-ts/lib/ReaderTaskEither.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { Area } from '../Area.js'
import type { Node } from '../Entry.js'
import type { OfStorage } from '../Failure.js'
import type { StoragePath } from '../StoragePath.js'

export interface NodeAtEnv {
  /**
   * The file or directory at a path. `type mismatch` when the path runs through a file; `file not found` when nothing
   * is there, or something that is neither file nor directory; `external` when the area's own root is missing.
   */
  readonly nodeAt: (area: Area, path: StoragePath) => TE.TaskEither<OfStorage, Node>
}

export const nodeAt = (area: Area, path: StoragePath): RTE.ReaderTaskEither<NodeAtEnv, OfStorage, Node> =>
  RTE.asksReaderTaskEither((env: NodeAtEnv) => RTE.fromTaskEither(env.nodeAt(area, path)))
