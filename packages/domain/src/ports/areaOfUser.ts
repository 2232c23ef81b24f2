import * as RTE from 'fp-ts/lib/ReaderTaskEither.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { Area } from '../Area.js'
import type { External, PermissionDenied } from '../Failure.js'
import type { UserId } from '../UserId.js'

export interface AreaOfUserEnv {
  /** The area of a verified account. An unknown and an unverified account are one failure. */
  readonly areaOfUser: (user: UserId) => TE.TaskEither<PermissionDenied | External, Area>
}

export const areaOfUser = (user: UserId): RTE.ReaderTaskEither<AreaOfUserEnv, PermissionDenied | External, Area> =>
  RTE.asksReaderTaskEither((env: AreaOfUserEnv) => RTE.fromTaskEither(env.areaOfUser(user)))
