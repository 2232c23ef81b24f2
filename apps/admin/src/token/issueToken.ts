import { type AccessToken, StoragePath, type U64, UserId } from '@canopy/domain'
import type { Account, NewToken, TokenRecord } from '@canopy/registry/admin'
import { sequenceS } from 'fp-ts/lib/Apply.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import * as AccountSettings from '../AccountSettings.js'
import * as Argument from '../Argument.js'
import type { ClockEnv, RandomEnv, RegistryEnv, StorageEnv } from '../CommandEnv.js'
import { verifyHint } from '../describeAccount.js'
import * as Existence from '../Existence.js'
import { lostName, lostNameJson } from '../lostName.js'
import type { Problem } from '../Problem.js'
import { type Report, report } from '../Report.js'
import { refused } from '../refused.js'
import * as When from '../When.js'
import { newToken } from './newToken.js'
import { tokenJson } from './tokenJson.js'

export interface IssueTokenOptions {
  readonly scope?: string
  readonly expires?: string
  readonly label?: string
}

const wanted = (id: string, options: IssueTokenOptions, now: U64.U64): E.Either<Problem, Omit<NewToken, 'token'>> =>
  sequenceS(E.Apply)({
    account: Argument.userId(id),
    scope: pipe(options.scope, Argument.optional(Argument.path), E.map(O.getOrElse(() => StoragePath.root))),
    expires: Argument.optional(When.parse(now))(options.expires),
    label: Argument.optional(Argument.notEmpty('--label'))(options.label),
  })

interface Issued {
  readonly account: Account
  readonly token: AccessToken.AccessToken
  readonly record: TokenRecord
  /** Of a node at its scope. */
  readonly existence: Existence.Existence
}

const describe = ({ account, token, record, existence }: Issued, now: U64.U64): Report => ({
  ...report(
    {
      token,
      ...tokenJson(record, now),
      exists: Existence.toJson(existence),
      verified: account.verified,
      ...lostNameJson(record.scope),
    },
    [
      token,
      '',
      'This is the only time the token is shown: only its hash is kept.',
      `Token id ${record.tokenId}; account ${UserId.toDecimal(record.account)}; scope ${record.scope}; expires ${When.expiryOf(record.expires, now)}.`,
      ...lostName(record.scope),
      ...Existence.note('the scope')(existence),
      ...verifyHint(account),
    ],
  ),
  unseen: `a token was issued that you did not see: \`canopy token revoke ${record.tokenId}\` forgets it`,
})

export const issueToken =
  (id: string, options: IssueTokenOptions) =>
  ({
    registry,
    storage,
    now,
    random,
  }: RegistryEnv & StorageEnv & ClockEnv & RandomEnv): TE.TaskEither<Problem, Report> =>
    pipe(
      TE.fromIO(now),
      TE.flatMap((time) =>
        pipe(
          TE.fromEither(wanted(id, options, time)),
          TE.bindTo('wish'),
          TE.bind('account', ({ wish }) => pipe(registry.accounts.find(wish.account), TE.mapLeft(refused))),
          TE.bind('token', () => TE.fromIO(newToken({ random }))),
          TE.bind('record', ({ wish, token }) => pipe(registry.tokens.add({ ...wish, token }), TE.mapLeft(refused))),
          TE.bind('existence', ({ account, wish }) =>
            TE.fromTask(Existence.of(storage)(AccountSettings.areaOf({ account }), wish.scope)),
          ),
          TE.map((issued) => describe(issued, time)),
        ),
      ),
    )
