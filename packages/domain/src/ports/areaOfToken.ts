import * as RTE from 'fp-ts/lib/ReaderTaskEither.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { AccessToken } from '../AccessToken.js'
import type { Grant } from '../Area.js'
import type { External, InvalidToken, NotVerified } from '../Failure.js'

export interface AreaOfTokenEnv {
  /**
   * What a token opens now. Unknown, expired and revoked tokens are one failure; a valid token of an account that no
   * operator has verified is another.
   */
  readonly areaOfToken: (token: AccessToken) => TE.TaskEither<InvalidToken | NotVerified | External, Grant>
}

export const areaOfToken = (
  token: AccessToken,
): RTE.ReaderTaskEither<AreaOfTokenEnv, InvalidToken | NotVerified | External, Grant> =>
  RTE.asksReaderTaskEither((env: AreaOfTokenEnv) => RTE.fromTaskEither(env.areaOfToken(token)))
