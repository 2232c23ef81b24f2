import type { U64 } from '@canopy/domain'
import type { TokenRecord } from '@canopy/registry/admin'
import * as O from 'fp-ts/lib/Option.js'
import * as Existence from '../Existence.js'
import * as When from '../When.js'
import type { Finding } from './Finding.js'

/** A token, and whether its scope names a node. */
export interface ScopedToken {
  readonly token: TokenRecord
  readonly existence: Existence.Existence
}

const expired = ({ account, tokenId }: TokenRecord): Finding => ({
  kind: 'expired token',
  account,
  path: O.none,
  message: `token ${tokenId} opens nothing any more: \`canopy token revoke ${tokenId}\` forgets it`,
})

/** A directory may be made later, so it needs no attention. */
const orphan = ({ account, scope, tokenId }: TokenRecord): Finding => ({
  kind: 'orphan scope',
  account,
  path: O.some(scope),
  message: `the scope of token ${tokenId}, but no node exists there: make the node, or \`canopy token revoke ${tokenId}\``,
  note: true,
})

const findingsOf =
  (now: U64.U64) =>
  ({ token, existence }: ScopedToken): ReadonlyArray<Finding> =>
    When.isPast(now)(token.expires) ? [expired(token)] : Existence.isMissing(existence) ? [orphan(token)] : []

export const tokenFindings = (tokens: ReadonlyArray<ScopedToken>, now: U64.U64): ReadonlyArray<Finding> =>
  tokens.flatMap(findingsOf(now))
