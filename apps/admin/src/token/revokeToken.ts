import { AccessToken, UserId } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { ClockEnv, RegistryEnv } from '../CommandEnv.js'
import { type Problem, wrongUsage } from '../Problem.js'
import { type Report, report } from '../Report.js'
import { refused } from '../refused.js'
import { tokenJson } from './tokenJson.js'

// What was typed may be a token with a typing error: it is not repeated.
const tokenOrId = (text: string): E.Either<Problem, string> =>
  AccessToken.is(text) || /^[0-9a-f]{16}$/.test(text)
    ? E.right(text)
    : E.left(
        wrongUsage(
          'that is neither a token ("cnp_" and 43 characters) nor a token id (16 hexadecimal digits): `canopy token list ID` shows the token ids of an account',
        ),
      )

export const revokeToken =
  (text: string) =>
  ({ registry, now }: RegistryEnv & ClockEnv): TE.TaskEither<Problem, Report> =>
    pipe(
      TE.fromEither(tokenOrId(text)),
      TE.flatMap((given) => pipe(registry.tokens.revoke(given), TE.mapLeft(refused))),
      TE.bindTo('token'),
      TE.bind('time', () => TE.fromIO(now)),
      TE.map(({ token, time }) =>
        report(tokenJson(token, time), [
          `Revoked token ${token.tokenId} of account ${UserId.toDecimal(token.account)}: requests with it answer \`invalid token\`.`,
        ]),
      ),
    )
