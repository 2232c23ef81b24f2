import type { Account } from '@canopy/registry/admin'
import type { StorageRoot } from '@canopy/storage-fs'
import { areaDirectory } from '@canopy/storage-fs/admin'

/** Of the area of an account, absolute. */
export const directoryOf = (root: StorageRoot.StorageRoot, account: Account): string =>
  areaDirectory(root, account.location)
