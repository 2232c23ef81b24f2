import { UserId } from '@canopy/domain'
import type { Account } from '@canopy/registry/admin'
import type { StorageRoot } from '@canopy/storage-fs'
import { areaDirectory } from '@canopy/storage-fs/admin'
import * as O from 'fp-ts/lib/Option.js'
import type * as Json from '../Json.js'

export const areaOf = (root: StorageRoot.StorageRoot, account: Account): string => areaDirectory(root, account.location)

export const accountJson = (root: StorageRoot.StorageRoot, account: Account): Json.Fields => ({
  id: UserId.toDecimal(account.id),
  name: O.toNullable(account.name),
  verified: account.verified,
  area: areaOf(root, account),
})

/** `account 7 (Photos)`. */
export const titleOf = (account: Account): string =>
  `account ${UserId.toDecimal(account.id)}${O.isSome(account.name) ? ` (${account.name.value})` : ''}`

/** What the operator of an unverified account should know. */
export const verifyHint = (account: Account): ReadonlyArray<string> =>
  account.verified
    ? []
    : [
        `The account is not verified: until \`canopy account verify ${UserId.toDecimal(account.id)}\`, requests with its tokens answer \`not verified\`, and visitors get \`permission denied\`.`,
      ]
