import { addAbortSignal, Readable } from 'node:stream'
import { Failure, type OpenedFile, type Signal } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { u64 } from './keys.js'
import type { S3Url } from './S3Url.js'
import type { StorageResult } from './StorageResult.js'
import { storeFailed } from './StoreFailed.js'
import type { Store } from './store.js'

/** Opens an object. Each reading requests its range from the store, and fails if the object was replaced. */
export const openObject = async (
  url: S3Url,
  store: Pick<Store, 'head' | 'get'>,
  key: string,
  signal?: Signal,
): Promise<StorageResult<OpenedFile>> => {
  const head = await store.head(key, signal)
  if (head === undefined) return E.left(Failure.fileNotFound)
  const { ContentLength = 0, LastModified = new Date(0), ETag } = head
  const closed = new AbortController()
  async function* bytes(start: bigint, end: bigint): AsyncGenerator<Buffer> {
    if (start >= end) return
    try {
      const { Body, ContentLength: length } = await store.get(key, `bytes=${start}-${end - 1n}`, ETag, closed.signal)
      if (!(Body instanceof Readable) || length !== Number(end - start))
        throw new Error(`the store sent ${length} bytes of an object instead of the requested ${end - start}`)
      yield* addAbortSignal(closed.signal, Body)
    } catch (thrown) {
      throw storeFailed(url, thrown)
    }
  }
  return E.right({
    size: BigInt(ContentLength),
    last_modified: u64(Math.floor(LastModified.getTime() / 1000)),
    version: Buffer.from(ETag ?? `${ContentLength} ${LastModified.getTime()}`).toString('base64url'),
    bytes,
    close: async () => closed.abort(),
  })
}
