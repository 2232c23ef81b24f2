import { keepListings } from '@canopy/kept-listings'
import { fsNotices, fsStorage, type StorageRoot } from '@canopy/storage-fs'

/** The ports of a storage on the local disk, with 64 MiB of listings in memory. */
export const keptStorage = (root: StorageRoot.StorageRoot) =>
  keepListings(fsStorage(root), fsNotices(root), 64 * 2 ** 20)
