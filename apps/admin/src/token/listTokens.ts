import { UserId } from '@canopy/domain'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import * as Argument from '../Argument.js'
import type { ClockEnv, RegistryLookEnv } from '../CommandEnv.js'
import { columns } from '../columns.js'
import type { Problem } from '../Problem.js'
import { type Report, report } from '../Report.js'
import { refused } from '../refused.js'
import * as When from '../When.js'
import { tokenJson } from './tokenJson.js'

export const listTokens =
  (id: string) =>
  ({ registry, now }: RegistryLookEnv & ClockEnv): TE.TaskEither<Problem, Report> =>
    pipe(
      TE.fromEither(Argument.userId(id)),
      TE.bindTo('user'),
      TE.bind('tokens', ({ user }) => pipe(registry.tokens.of(user), TE.mapLeft(refused))),
      TE.bind('time', () => TE.fromIO(now)),
      TE.map(({ user, tokens, time }) =>
        report(
          tokens.map((token) => tokenJson(token, time)),
          tokens.length === 0
            ? [
                `Account ${UserId.toDecimal(user)} has no tokens: \`canopy token issue ${UserId.toDecimal(user)}\` issues one.`,
              ]
            : columns([
                ['TOKEN ID', 'SCOPE', 'EXPIRES', 'LABEL'],
                ...tokens.map((token) => [
                  token.tokenId,
                  token.scope,
                  When.expiryOf(token.expires, time),
                  O.getOrElse(() => '-')(token.label),
                ]),
              ]),
        ),
      ),
    )
