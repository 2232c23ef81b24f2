import { UserId } from '@canopy/domain'
import type { Account } from '@canopy/registry/admin'

/** What the operator of an unverified account should know. */
export const verifyHint = (account: Account): ReadonlyArray<string> =>
  account.verified
    ? []
    : [
        `The account is not verified: until \`canopy account verify ${UserId.toDecimal(account.id)}\`, requests with its tokens answer \`not verified\`, and visitors get \`permission denied\`.`,
      ]
