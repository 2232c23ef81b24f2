import { Readable } from 'node:stream'
import { Failure, type OpenedFile, type Signal, U64 } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import * as S3Url from './S3Url.js'
import type { StorageResult } from './StorageResult.js'
import { StoreFailed, storeFailed } from './StoreFailed.js'
import type { Store } from './store.js'

type ObjectStore = Pick<Store, 'head' | 'get'>

const statusOf = (thrown: unknown): number | undefined => Object(thrown).$metadata?.httpStatusCode

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
  store: ObjectStore,
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
        closed.signal.addEventListener('abort', () => Body.destroy(new Error('the file is closed')))
        for await (const chunk of Body) yield E.right(chunk)
      } catch (thrown) {
        yield E.left(readFailed(url, thrown))
      }
    }
    return E.right({
      size: BigInt(ContentLength),
      last_modified: U64.clamp(BigInt(Math.floor(LastModified.getTime() / 1000))),
      version: Buffer.from(ETag ?? `${ContentLength} ${LastModified.getTime()}`).toString('base64url'),
      bytes,
      close: async () => closed.abort(),
    })
  } catch (thrown) {
    return E.left(statusOf(thrown) === 404 ? Failure.fileNotFound : readFailed(url, thrown))
  }
}

/** Any key: whether it exists decides nothing. */
const probe = 'canopy-reads-files'

/** Checks that objects can be read. The message of `cause` is the reason, with a hint for the operator. */
export const filesReadable =
  (url: S3Url.S3Url, store: ObjectStore): TE.TaskEither<Failure.External, void> =>
  async () => {
    try {
      const { Body } = await store.get(`${url.prefix}${probe}`, 'bytes=0-0')
      if (Body instanceof Readable) Body.destroy()
    } catch (thrown) {
      // The object is missing or empty, and the store says so only to a client who may read it.
      if (![404, 416].includes(statusOf(thrown) ?? 0) || Object(thrown).name === 'NoSuchBucket')
        return E.left(readFailed(url, thrown))
    }
    return E.right(undefined)
  }
