import { UserId } from '@canopy/domain'
import type { Account } from '@canopy/registry/admin'
import type { StorageRoot } from '@canopy/storage-fs'
import * as O from 'fp-ts/lib/Option.js'
import type * as Json from '../Json.js'
import { directoryOf } from './directoryOf.js'

export const accountJson = (root: StorageRoot.StorageRoot, account: Account): Json.Fields => ({
  id: UserId.toDecimal(account.id),
  name: O.toNullable(account.name),
  verified: account.verified,
  area: directoryOf(root, account),
})
