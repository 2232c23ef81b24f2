import { randomBytes } from 'node:crypto'
import { AccessToken, StoragePath, type U64, UserId } from '@canopy/domain'
import type { TokenRecord } from '@canopy/registry/admin'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import * as Argument from './Argument.js'
import { verifyHint } from './account.js'
import { type Args, type Options, type Outcome, type ReadEnv, readArgument, type WriteEnv } from './Command.js'
import { missingNodeNote, nodeExists } from './nodeLookup.js'
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

/** Creates a token of 32 random bytes. */
export const newToken = (): AccessToken.AccessToken =>
  `cnp_${randomBytes(32).toString('base64url')}` as AccessToken.AccessToken

/** Opens the scope in the explorer. Browsers never send a fragment, so no server sees the token. */
const linkTo = (base: string, { account, scope }: TokenRecord, token: AccessToken.AccessToken): string => {
  const path = scope === StoragePath.root ? '' : scope.split('/').map(encodeURIComponent).join('/')
  return `${base}/browse/files${path}#token=${token}&user=${UserId.toDecimal(account)}`
}

export const issue = ({ registry, storage, now, baseUrl }: WriteEnv, [id]: Args, options: Options): Outcome => {
  const token = newToken()
  return pipe(
    Argument.all({
      account: Argument.userId(id),
      scope: pipe(options.scope, Argument.optional(Argument.path), E.map(O.getOrElse(() => StoragePath.root))),
      expires: Argument.optional(Argument.when(now))(options.expires),
      label: Argument.optional(Argument.notEmpty('--label'))(options.label),
    }),
    TE.bindTo('request'),
    TE.bindW('account', ({ request }) => registry.accounts.find(request.account)),
    TE.bindW('record', ({ request }) => registry.tokens.add({ ...request, token })),
    TE.bindW('exists', ({ account, request }) => TE.fromTask(nodeExists(storage, account, request.scope))),
    TE.map(({ account, record, exists }) => {
      const { tokenId, scope, expires } = record
      const warnings = Argument.replacementCharacterWarnings(scope)
      const json = { token, ...tokenJson(record, now), exists, verified: account.verified, warning: warnings[0] }
      return {
        ...report(json, [
          token,
          '',
          'This is the only time the token is shown: Canopy stores only its hash.',
          `In the explorer: ${linkTo(baseUrl, record, token)}`,
          `Token ID ${tokenId}; account ${UserId.toDecimal(account.id)}; scope ${scope}; ${Argument.expiryClause(now, expires)}.`,
          ...warnings,
          ...missingNodeNote('the scope', exists),
          ...verifyHint(account),
        ]),
        undo: [['token', 'revoke', tokenId]],
      }
    }),
  )
}

export const list = ({ registry, now }: ReadEnv, [id]: Args): Outcome =>
  pipe(
    TE.fromEither(Argument.userId(id)),
    TE.flatMap((user) => registry.tokens.of(user)),
    TE.map((tokens) => {
      const rows = tokens.map((token) => [
        token.tokenId,
        token.scope,
        Argument.describeExpiry(now, token.expires),
        O.toNullable(token.label) ?? '-',
      ])
      const empty = `Account ${id} has no tokens. Run \`canopy token issue ${id}\` to issue one.`
      return report(
        tokens.map((token) => tokenJson(token, now)),
        table(['TOKEN ID', 'SCOPE', 'EXPIRES', 'LABEL'], rows, empty),
      )
    }),
  )

export const revoke = async (env: WriteEnv, [text]: Args): Promise<Outcome> => {
  const tokenOrId = await readArgument(env, text)
  // The message does not repeat the text, which may be a token with a typing error.
  if (!AccessToken.is(tokenOrId) && !/^[0-9a-f]{16}$/.test(tokenOrId))
    return TE.left(
      wrongUsage(
        'invalid token or token ID (value not shown): a token is "cnp_" followed by 43 characters; a token ID is 16 hexadecimal digits',
        "run `canopy token list ID` to list an account's token IDs",
      ),
    )
  return pipe(
    env.registry.tokens.revoke(tokenOrId),
    TE.map((token) =>
      report(tokenJson(token, env.now), [
        `Revoked token ${token.tokenId} of account ${UserId.toDecimal(token.account)}: requests with it now fail with \`invalid token\`.`,
      ]),
    ),
  )
}
