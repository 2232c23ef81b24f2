import { UserId } from '@canopy/domain'
import type { Account } from '@canopy/registry/admin'
import * as O from 'fp-ts/lib/Option.js'

/** `account 7 (Photos)`. */
export const titleOf = (account: Account): string =>
  `account ${UserId.toDecimal(account.id)}${O.isSome(account.name) ? ` (${account.name.value})` : ''}`
