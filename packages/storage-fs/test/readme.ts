import { Area, StoragePath, type UserId } from '@canopy/domain'
import { cachedListings, changeEvents, fsStorage, StorageRoot } from '@canopy/storage-fs'
import * as E from 'fp-ts/lib/Either.js'

const area: Area.Area = { owner: 1n as UserId.UserId, location: Area.location('alice') }

/** The names in the directory `alice` of a storage such as `file:///srv/canopy`: in byte order, without links. */
export const namesIn = (storage: string): (() => Promise<ReadonlyArray<string>>) => {
  const root = StorageRoot.fromText(process.cwd())(storage)
  if (E.isLeft(root)) throw new Error(root.left)
  // With 64 MiB of listings in memory, never stale.
  const ports = cachedListings(fsStorage(root.right), changeEvents(root.right), 64 * 2 ** 20)
  return async () => {
    const listing = await ports.list(area, StoragePath.root)()
    if (E.isLeft(listing)) throw new Error(listing.left.error)
    return [...listing.right.entries].map(({ name }) => name)
  }
}
