import type { U64 } from '@canopy/domain'
import type { TokenRecord } from '@canopy/registry/admin'
import * as O from 'fp-ts/lib/Option.js'
import * as When from '../When.js'
import type { Finding } from './Finding.js'

export const tokenFindings = (tokens: ReadonlyArray<TokenRecord>, now: U64.U64): ReadonlyArray<Finding> =>
  tokens
    .filter(({ expires }) => When.isPast(now)(expires))
    .map(({ account, tokenId }) => ({
      kind: 'expired token',
      account,
      path: O.none,
      message: `token ${tokenId} opens nothing any more: \`canopy token revoke ${tokenId}\` forgets it`,
    }))
