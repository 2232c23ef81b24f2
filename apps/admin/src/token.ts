import { AccessToken, StoragePath, type U64, UserId } from '@canopy/domain'
import type { TokenRecord } from '@canopy/registry/admin'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import * as Argument from './Argument.js'
import { verifyHint } from './account.js'
import { areaOf } from './areas.js'
import { columns, type Outcome, type ReadEnv, report, typed, type WriteEnv, wrongUsage } from './Command.js'
import * as Existence from './Existence.js'

export const tokenJson = ({ tokenId, account, scope, expires, label }: TokenRecord, now: U64.U64) => ({
  tokenId,
  account: UserId.toDecimal(account),
  scope,
  expires: Argument.expiresJson(expires),
  expired: Argument.isPast(now, expires),
  label: O.toNullable(label),
})

/** 32 random bytes, in the spelling of a token. */
export const newToken = ({ random }: Pick<WriteEnv, 'random'>): AccessToken.AccessToken =>
  `cnp_${random(32)}` as AccessToken.AccessToken

export const issue = (env: WriteEnv, id: string, options: Argument.Options<'scope' | 'expires' | 'label'>): Outcome => {
  const { registry, storage, now } = env
  const token = newToken(env)
  return pipe(
    Argument.all({
      account: Argument.userId(id),
      scope: pipe(options.scope, Argument.optional(Argument.path), E.map(O.getOrElse(() => StoragePath.root))),
      expires: Argument.optional(Argument.when(now))(options.expires),
      label: Argument.optional(Argument.notEmpty('--label'))(options.label),
    }),
    TE.fromEither,
    TE.bindTo('wanted'),
    TE.bindW('account', ({ wanted }) => registry.accounts.find(wanted.account)),
    TE.bindW('record', ({ wanted }) => registry.tokens.add({ ...wanted, token })),
    TE.bindW('existence', ({ account, wanted }) => TE.fromTask(Existence.of(storage, areaOf(account), wanted.scope))),
    TE.map(({ account, record, existence }) => ({
      ...report(
        {
          token,
          ...tokenJson(record, now),
          exists: Existence.toJson(existence),
          verified: account.verified,
          warning: Argument.lostName(record.scope)[0],
        },
        [
          token,
          '',
          'This is the only time the token is shown: only its hash is stored.',
          `Token id ${record.tokenId}; account ${UserId.toDecimal(account.id)}; scope ${record.scope}; expires ${Argument.expiryOf(now, record.expires)}.`,
          ...Argument.lostName(record.scope),
          ...Existence.note('the scope', existence),
          ...verifyHint(account),
        ],
      ),
      undo: [['token', 'revoke', record.tokenId]],
    })),
  )
}

export const list = ({ registry, now }: ReadEnv, id: string): Outcome =>
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
      return report(
        tokens.map((token) => tokenJson(token, now)),
        rows.length === 0
          ? [`Account ${id} has no tokens: \`canopy token issue ${id}\` issues one.`]
          : columns([['TOKEN ID', 'SCOPE', 'EXPIRES', 'LABEL'], ...rows]),
      )
    }),
  )

export const revoke = async (env: WriteEnv, text: string): Promise<Outcome> => {
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
