import { randomBytes } from 'node:crypto'
import { AccessToken, StoragePath, type U64, UserId } from '@canopy/domain'
import type { TokenRecord } from '@canopy/registry/admin'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import * as Argument from './Argument.js'
import { verifyHint } from './account.js'
import { type Options, type Outcome, type ReadEnv, typed, type Words, type WriteEnv } from './Command.js'
import { exists, waiting } from './exists.js'
import { wrongUsage } from './Problem.js'
import { report, table } from './Report.js'

export const tokenJson = ({ tokenId, account, scope, expires, label }: TokenRecord, now: U64.U64) => ({
  tokenId,
  account: UserId.toDecimal(account),
  scope,
  expires: Argument.expiresJson(expires),
  expired: Argument.isPast(now, expires),
  label: O.toNullable(label),
})

/** 32 random bytes, in the spelling of a token. */
export const newToken = (): AccessToken.AccessToken =>
  `cnp_${randomBytes(32).toString('base64url')}` as AccessToken.AccessToken

export const issue = ({ registry, storage, now }: WriteEnv, [id]: Words, options: Options): Outcome => {
  const token = newToken()
  return pipe(
    Argument.all({
      account: Argument.userId(id),
      scope: pipe(options.scope, Argument.optional(Argument.path), E.map(O.getOrElse(() => StoragePath.root))),
      expires: Argument.optional(Argument.when(now))(options.expires),
      label: Argument.optional(Argument.notEmpty('--label'))(options.label),
    }),
    TE.bindTo('wanted'),
    TE.bindW('account', ({ wanted }) => registry.accounts.find(wanted.account)),
    TE.bindW('record', ({ wanted }) => registry.tokens.add({ ...wanted, token })),
    TE.bindW('isThere', ({ account, wanted }) => TE.fromTask(exists(storage, account, wanted.scope))),
    TE.map(({ account, record, isThere }) => ({
      ...report(
        {
          token,
          ...tokenJson(record, now),
          exists: isThere,
          verified: account.verified,
          warning: Argument.lostName(record.scope)[0],
        },
        [
          token,
          '',
          'This is the only time the token is shown: only its hash is stored.',
          `Token id ${record.tokenId}; account ${UserId.toDecimal(account.id)}; scope ${record.scope}; expires ${Argument.expiryOf(now, record.expires)}.`,
          ...Argument.lostName(record.scope),
          ...waiting('the scope', isThere),
          ...verifyHint(account),
        ],
      ),
      undo: [['token', 'revoke', record.tokenId]],
    })),
  )
}

export const list = ({ registry, now }: ReadEnv, [id]: Words): Outcome =>
  pipe(
    TE.fromEither(Argument.userId(id)),
    TE.flatMap((user) => registry.tokens.of(user)),
    TE.map((tokens) => {
      const rows = tokens.map((token) => [
        token.tokenId,
        token.scope,
        Argument.expiryOf(now, token.expires),
        O.toNullable(token.label) ?? '-',
      ])
      const none = `Account ${id} has no tokens: \`canopy token issue ${id}\` issues one.`
      return report(
        tokens.map((token) => tokenJson(token, now)),
        table(['TOKEN ID', 'SCOPE', 'EXPIRES', 'LABEL'], rows, none),
      )
    }),
  )

export const revoke = async (env: WriteEnv, [text]: Words): Promise<Outcome> => {
  const tokenOrId = await typed(env, text)
  // What was typed may be a token with a typing error: it is not repeated.
  if (!AccessToken.is(tokenOrId) && !/^[0-9a-f]{16}$/.test(tokenOrId))
    return TE.left(
      wrongUsage(
        'that is neither a token ("cnp_" and 43 characters) nor a token id (16 hexadecimal digits)',
        '`canopy token list ID` shows the token ids of an account',
      ),
    )
  return pipe(
    env.registry.tokens.revoke(tokenOrId),
    TE.map((token) =>
      report(tokenJson(token, env.now), [
        `Revoked token ${token.tokenId} of account ${UserId.toDecimal(token.account)}: requests with it answer \`invalid token\`.`,
      ]),
    ),
  )
}
