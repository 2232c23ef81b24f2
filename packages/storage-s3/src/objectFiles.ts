import { Readable } from 'node:stream'
import { type Area, Failure, type NodeAtEnv, type OpenedFile, type OpenFileEnv, type Signal, U64 } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import { areaPrefix } from './keys.js'
import * as S3Url from './S3Url.js'
import { StoreFailed, storeFailed } from './StoreFailed.js'
import { abortSignalOf, configOf, ignoreRejection } from './store.js'

/** The port of files over areas that are key prefixes. */
export interface ObjectFiles extends OpenFileEnv {
  /** Whether objects can be read. The message of `cause` is the reason, with a hint for the operator. */
  readonly filesReadable: TE.TaskEither<Failure.External, void>
  readonly closeFiles: () => void
}

/** Loads the SDK. A client of its own: downloads may hold many connections for long, which listings would wait for. */
const openClient = async (url: S3Url.S3Url) => {
  const { GetObjectCommand, HeadObjectCommand, S3Client } = await import('@aws-sdk/client-s3')
  const client = new S3Client({
    ...configOf(url, Number.POSITIVE_INFINITY),
    // A checksum of the whole object does not match a range.
    responseChecksumValidation: 'WHEN_REQUIRED',
  })
  const location = (key: string) => ({ Bucket: url.bucket, Key: key })
  return {
    head: (key: string, signal: Signal | undefined) =>
      client.send(new HeadObjectCommand(location(key)), signal && { abortSignal: abortSignalOf(signal) }),
    get: (key: string, range: string, etag: string | undefined, abortSignal?: AbortSignal) =>
      client.send(
        new GetObjectCommand({ ...location(key), Range: range, IfMatch: etag }),
        abortSignal && { abortSignal },
      ),
    close: () => client.destroy(),
  }
}

type Client = Awaited<ReturnType<typeof openClient>>

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

/** Opens an object, whose range each reading requests from the store. Rejects with errors of the SDK. */
const openObject = async (
  url: S3Url.S3Url,
  { head, get }: Client,
  key: string,
  signal?: Signal,
): Promise<OpenedFile> => {
  const { ContentLength = 0, LastModified = new Date(0), ETag } = await head(key, signal)
  const closed = new AbortController()
  async function* bytes(start: bigint, end: bigint, stop?: Signal): AsyncGenerator<E.Either<Failure.External, Buffer>> {
    if (start >= end) return
    const abort = AbortSignal.any([closed.signal, ...(stop === undefined ? [] : [abortSignalOf(stop)])])
    try {
      const { Body, ContentLength: length } = await get(key, `bytes=${start}-${end - 1n}`, ETag, abort)
      if (!(Body instanceof Readable) || length !== Number(end - start))
        throw new Error(`the store sent ${length} bytes of an object instead of the requested ${end - start}`)
      abort.addEventListener('abort', () => Body.destroy(new Error('the file is closed')))
      for await (const chunk of Body) yield E.right(chunk)
    } catch (thrown) {
      if (stop?.aborted !== true) yield E.left(readFailed(url, thrown))
    }
  }
  return {
    size: BigInt(ContentLength),
    last_modified: U64.clamp(BigInt(Math.floor(LastModified.getTime() / 1000))),
    version: Buffer.from(ETag ?? `${ContentLength} ${LastModified.getTime()}`).toString('base64url'),
    bytes,
    close: async () => closed.abort(),
  }
}

/** Any key: whether it exists decides nothing. */
const probe = 'canopy-reads-files'

/** Creates the port of files. `nodeAt` decides what is at a path. */
export const objectFiles = (url: S3Url.S3Url, nodeAt: NodeAtEnv['nodeAt']): ObjectFiles => {
  let client: Promise<Client> | undefined
  const opened = (): Promise<Client> => {
    client ??= openClient(url)
    return client
  }
  return {
    openFile:
      (area: Area.Area, path, { signal } = {}) =>
      async () => {
        const prefix = areaPrefix(url, area)
        if (E.isLeft(prefix)) return prefix
        const key = `${prefix.right}${path.slice(1)}`
        // At the same time, because a look-up is two requests to the store.
        const file = ignoreRejection(opened().then((client) => openObject(url, client, key, signal)))
        const node = await nodeAt(area, path)()
        if (E.isLeft(node)) return node
        if (node.right.type === 'dir') return E.left(Failure.typeMismatch)
        try {
          return E.right(await file)
        } catch (thrown) {
          return E.left(statusOf(thrown) === 404 ? Failure.fileNotFound : readFailed(url, thrown))
        }
      },
    filesReadable: async () => {
      try {
        const { Body } = await (await opened()).get(`${url.prefix}${probe}`, 'bytes=0-0', undefined)
        if (Body instanceof Readable) Body.destroy()
      } catch (thrown) {
        // The object is missing or empty, and the store says so only to a client who may read it.
        if (![404, 416].includes(statusOf(thrown) ?? 0) || Object(thrown).name === 'NoSuchBucket')
          return E.left(readFailed(url, thrown))
      }
      return E.right(undefined)
    },
    closeFiles: () => void client?.then(({ close }) => close()),
  }
}
