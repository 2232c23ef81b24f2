import { Area, listPages, StoragePath, type UserId } from '@canopy/domain'
import { S3Url, s3Storage } from '@canopy/storage-s3'
import * as E from 'fp-ts/lib/Either.js'

const area: Area.Area = { owner: 1n as UserId.UserId, location: Area.location('alice') }

/** The names below the key prefix `alice/` of a storage such as `s3://bucket?region=eu-central-1`, in byte order. */
export const namesIn = async (storage: string): Promise<ReadonlyArray<string>> => {
  const url = S3Url.fromText(storage)
  if (E.isLeft(url)) throw new Error(url.left)
  const ports = await s3Storage(url.right)
  const pages = await listPages(area, StoragePath.root)(ports)()
  ports.close()
  if (E.isLeft(pages)) throw new Error(pages.left.error)
  return pages.right.flatMap(({ entries }) => [...entries].map(({ name }) => name))
}
