import { addAbortSignal, Readable } from 'node:stream'
import { Failure, type OpenedFile, type Signal } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { u64 } from './keys.js'
import * as S3Url from './S3Url.js'
import type { StorageResult } from './StorageResult.js'
import { StoreFailed, statusOf, storeFailed } from './StoreFailed.js'
import type { Store } from './store.js'

const readFailed = (url: S3Url.S3Url, thrown: unknown): Failure.External =>
  Failure.external(
    statusOf(thrown) === 403
      ? new StoreFailed(
          `${S3Url.toText(url)}: these credentials are not allowed to read objects`,
          'allow s3:GetObject under the prefix, or set CANOPY_FILES=off',
          thrown,
        )
      : storeFailed(url, thrown),
  )

/** Opens an object. Each reading requests its range from the store, and fails if the object was replaced. */
export const openObject = async (
  url: S3Url.S3Url,
  store: Pick<Store, 'head' | 'get'>,
  key: string,
  signal?: Signal,
): Promise<StorageResult<OpenedFile>> => {
  try {
    const { ContentLength = 0, LastModified = new Date(0), ETag } = await store.head(key, signal)
    const closed = new AbortController()
    async function* bytes(start: bigint, end: bigint): AsyncGenerator<E.Either<Failure.External, Buffer>> {
      if (start >= end) return
      try {
        const { Body, ContentLength: length } = await store.get(key, `bytes=${start}-${end - 1n}`, ETag, closed.signal)
        if (!(Body instanceof Readable) || length !== Number(end - start))
          throw new Error(`the store sent ${length} bytes of an object instead of the requested ${end - start}`)
        for await (const chunk of addAbortSignal(closed.signal, Body)) yield E.right(chunk)
      } catch (thrown) {
        yield E.left(readFailed(url, thrown))
      }
    }
    return E.right({
      size: BigInt(ContentLength),
      last_modified: u64(Math.floor(LastModified.getTime() / 1000)),
      version: Buffer.from(ETag ?? `${ContentLength} ${LastModified.getTime()}`).toString('base64url'),
      bytes,
      close: async () => closed.abort(),
    })
  } catch (thrown) {
    return E.left(statusOf(thrown) === 404 ? Failure.fileNotFound : readFailed(url, thrown))
  }
}
