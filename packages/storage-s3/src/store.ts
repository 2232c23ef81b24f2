import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { GetObjectCommandOutput, HeadObjectCommandOutput, S3ClientConfig } from '@aws-sdk/client-s3'
import type { Signal } from '@canopy/domain'
import { parseListing } from './listingXml.js'
import { noListing, type Page, type PageRequest, readPage } from './page.js'
import type { S3Url } from './S3Url.js'
import { statusOf } from './StoreFailed.js'

/** Keys per request. No store returns more. */
export const pageKeys = 1000

// One call of a port has 25 s for its tries. A slow store is not dead, and a lost packet must not use up all the time.
const connectMs = 2_000
const responseMs = 8_000
/** Tries of one request, with growing random pauses: 50 ms on average, then 100. */
const tries = 3
/** More requests than this wait here, not in the store. */
const connections = 32

/** Sends with a converted signal, because the SDK takes only an `AbortSignal`. */
const untilAborted = async <A>(
  signal: Signal | undefined,
  send: (options: { readonly abortSignal?: AbortSignal }) => Promise<A>,
): Promise<A> => {
  if (signal === undefined) return send({})
  if (signal instanceof AbortSignal) return send({ abortSignal: signal })
  const controller = new AbortController()
  const abort = (): void => controller.abort()
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort)
  return send({ abortSignal: controller.signal }).finally(() => signal.removeEventListener('abort', abort))
}

/** One bucket of an object store. Its functions reject with errors of the SDK and of `page.ts`. */
export interface Store {
  readonly page: (request: PageRequest, signal?: Signal) => Promise<Page>
  readonly put: (key: string, text: string) => Promise<void>
  /** Returns the facts of an object; `undefined` if it is missing, which only a client who may read it learns. */
  readonly head: (key: string, signal?: Signal) => Promise<HeadObjectCommandOutput | undefined>
  /** Requests a range of an object; fails if the object no longer has this tag. */
  readonly get: (key: string, range: string, etag?: string, signal?: Signal) => Promise<GetObjectCommandOutput>
  readonly close: () => void
}

/** Reports whether a key begins with this prefix. */
export const hasKeysUnder = async (store: Pick<Store, 'page'>, prefix: string, signal?: Signal): Promise<boolean> =>
  (await store.page({ prefix, oneLevel: false, maxKeys: 1 }, signal)).keys.length > 0

/** Returns the same promise. It may reject before a caller awaits it. */
export const ignoreRejection = <A>(promise: Promise<A>): Promise<A> => {
  promise.catch(() => undefined)
  return promise
}

const configOf = ({ endpoint, region, pathStyle }: S3Url, maxSockets = connections): S3ClientConfig => {
  const agent = { maxSockets, keepAlive: true }
  return {
    ...(endpoint === undefined ? {} : { endpoint }),
    // Most stores have no regions, but the SDK cannot sign without one.
    ...(region === undefined && endpoint === undefined ? {} : { region: region ?? 'us-east-1' }),
    forcePathStyle: pathStyle,
    maxAttempts: tries,
    // Old stores reject the checksums that the SDK adds by default, and the checksum of an object does not match its ranges.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: connectMs,
      requestTimeout: responseMs,
      throwOnRequestTimeout: true,
      httpAgent: agent,
      httpsAgent: agent,
    },
  }
}

/** Reads a page of a listing. The time limits of the SDK end with the head, so a body that stalls is an error that it retries. */
const readInTime = (body: Readable): Promise<Buffer> => {
  const late = Object.assign(new Error('the store did not send the whole page in time'), { name: 'TimeoutError' })
  const timer = setTimeout(() => body.destroy(late), responseMs)
  return buffer(body).finally(() => clearTimeout(timer))
}

/** For the parser of the SDK, because {@link parseListing} has read the page. */
const emptyListing = Buffer.from('<ListBucketResult/>')

/** A response to HEAD has no code, so the error gets a name for which `storeFailed` has a hint. */
const unlessMissing = (thrown: Error): undefined => {
  const status = statusOf(thrown)
  if (status === 404) return undefined
  throw status === 403 ? Object.assign(thrown, { name: 'ReadDenied' }) : thrown
}

/** Opens a bucket. Loads the SDK. */
export const openStore = async (url: S3Url): Promise<Store> => {
  const { GetObjectCommand, HeadObjectCommand, ListObjectsV2Command, PutObjectCommand, S3Client } = await import(
    '@aws-sdk/client-s3'
  )
  const client = new S3Client(configOf(url))
  // Downloads may hold many connections for long, which listings would wait for.
  const files = new S3Client(configOf(url, Number.POSITIVE_INFINITY))
  return {
    page: (request, signal) => {
      const { prefix, oneLevel, after, maxKeys = pageKeys } = request
      return readPage(request, async (token) => {
        const command = new ListObjectsV2Command({
          Bucket: url.bucket,
          Prefix: prefix,
          // XML cannot represent some characters of a key.
          EncodingType: 'url',
          MaxKeys: maxKeys,
          Delimiter: oneLevel ? '/' : undefined,
          StartAfter: token === undefined ? after : undefined,
          ContinuationToken: token,
        })
        let body: Buffer = Buffer.alloc(0)
        command.middlewareStack.add(
          (next) => async (request) => {
            const result = await next(request)
            const response = result.response as { statusCode: number; body: unknown }
            if (response.statusCode === 200 && response.body instanceof Readable) {
              body = await readInTime(response.body)
              response.body = emptyListing
            }
            return result
          },
          { step: 'deserialize', priority: 'low' },
        )
        await untilAborted(signal, (options) => client.send(command, options))
        const listing = parseListing(body)
        if (listing === undefined) throw noListing()
        return listing
      })
    },
    put: async (key, text) => {
      // Without a length the SDK warns about an empty body on the console.
      const length = Buffer.byteLength(text)
      await client.send(new PutObjectCommand({ Bucket: url.bucket, Key: key, Body: text, ContentLength: length }))
    },
    head: (key, signal) =>
      untilAborted(signal, (options) =>
        files.send(new HeadObjectCommand({ Bucket: url.bucket, Key: key }), options),
      ).catch(unlessMissing),
    get: (key, range, etag, signal) =>
      untilAborted(signal, (options) =>
        files.send(new GetObjectCommand({ Bucket: url.bucket, Key: key, Range: range, IfMatch: etag }), options),
      ),
    close: () => {
      client.destroy()
      files.destroy()
    },
  }
}
