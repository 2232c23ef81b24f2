import { Area, StoragePath, type UserId } from '@canopy/domain'
import { fsStorage, StorageRoot } from '@canopy/storage-fs'
import * as E from 'fp-ts/lib/Either.js'

const area: Area.Area = { owner: 1n as UserId.UserId, location: Area.location('alice') }

/** The names in the directory `alice` of a storage such as `file:///srv/canopy`: in byte order, without links. */
export const namesIn = async (storage: string): Promise<ReadonlyArray<string>> => {
  const root = StorageRoot.fromText(process.cwd())(storage)
  if (E.isLeft(root)) throw new Error(root.left)
  const listing = await fsStorage(root.right).list(area, StoragePath.root)()
  if (E.isLeft(listing)) throw new Error(listing.left.error)
  return [...listing.right.entries].map(({ name }) => name)
}
