import { type U64, UserId } from '@canopy/domain'
import type { TokenRecord } from '@canopy/registry/admin'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import type * as Json from '../Json.js'
import * as When from '../When.js'

/** Everything but the token. */
export const tokenJson = (token: TokenRecord, now: U64.U64): Json.Fields => ({
  tokenId: token.tokenId,
  account: UserId.toDecimal(token.account),
  scope: token.scope,
  expires: pipe(token.expires, O.map(When.toIso), O.toNullable),
  expired: When.isPast(now)(token.expires),
  label: O.toNullable(token.label),
})
