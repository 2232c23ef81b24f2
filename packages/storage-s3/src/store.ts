import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { S3ClientConfig } from '@aws-sdk/client-s3'
import type { Signal } from '@canopy/domain'
import { type Page, type Question, readPage } from './page.js'
import type { S3Url } from './S3Url.js'

/** Keys that are asked for at once. No store gives more. */
export const pageKeys = 1000

// A request has 25 s in all. A store that is slow is not hanging, and a lost packet must not cost all of them.
const connectMs = 2_000
const answerMs = 8_000
/** Tries of one question, with pauses in between that grow and vary: 50 ms on average, then 100. */
const tries = 3
/** Connections to the store, so that many requests wait here and not there. */
const connections = 32

/** The SDK takes an `AbortSignal` only. */
const abortSignalOf = (signal: Signal): AbortSignal => {
  if (signal instanceof AbortSignal) return signal
  const controller = new AbortController()
  const abort = (): void => controller.abort()
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort)
  return controller.signal
}

/** One bucket of an object store. All of it rejects with what the SDK throws. */
export interface Store {
  readonly page: (question: Question, signal?: Signal) => Promise<Page>
  readonly put: (key: string, text: string) => Promise<void>
  readonly close: () => void
}

/** Whether any key begins so. */
export const begins = async (store: Pick<Store, 'page'>, prefix: string): Promise<boolean> =>
  (await store.page({ prefix, oneLevel: false, maxKeys: 1 })).found.length > 0

/** A failure is reported to those who ask for what it was about, and may come before anyone does. */
export const caught = <A>(promise: Promise<A>): Promise<A> => {
  promise.catch(() => undefined)
  return promise
}

/** All pages of a question, in their order. While one is used, the next two are asked for: each names the one behind it. */
export async function* pages(
  store: Pick<Store, 'page'>,
  question: Question,
  signal?: Signal,
): AsyncGenerator<Page, void> {
  const after = (page: Promise<Page | undefined>): Promise<Page | undefined> =>
    caught(
      page.then((read) =>
        read?.end === undefined ? undefined : store.page({ ...question, after: undefined, from: read.end }, signal),
      ),
    )
  let page: Promise<Page | undefined> = store.page(question, signal)
  let next = after(page)
  for (let read = await page; read !== undefined; read = await page) {
    page = next
    next = after(next)
    yield read
  }
}

const configOf = ({ endpoint, region, pathStyle }: S3Url): S3ClientConfig => {
  const agent = { maxSockets: connections, keepAlive: true }
  return {
    ...(endpoint === undefined ? {} : { endpoint }),
    // Other stores have no regions, and the SDK signs with none less than one.
    ...(region === undefined && endpoint === undefined ? {} : { region: region ?? 'us-east-1' }),
    forcePathStyle: pathStyle,
    maxAttempts: tries,
    // Old stores know no other checksums than their own.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: connectMs,
      requestTimeout: answerMs,
      throwOnRequestTimeout: true,
      httpAgent: agent,
      httpsAgent: agent,
    },
  }
}

/** What a listing says of an object beside its key, size and time. The SDK makes a string of each character that it reads. */
const unused = /<(ETag|StorageClass|Owner|Type)>[\s\S]*?<\/\1>/g

/** Loads the SDK. */
export const openStore = async (url: S3Url): Promise<Store> => {
  const { ListObjectsV2Command, PutObjectCommand, S3Client } = await import('@aws-sdk/client-s3')
  const client = new S3Client(configOf(url))
  client.middlewareStack.add(
    (next) => async (request) => {
      const answer = await next(request)
      const response = answer.response as { body: unknown }
      if (response.body instanceof Readable)
        response.body = Buffer.from((await text(response.body)).replaceAll(unused, ''))
      return answer
    },
    { step: 'deserialize', priority: 'low' },
  )
  return {
    page: (question, signal) => {
      const { prefix, oneLevel, after, maxKeys = pageKeys } = question
      return readPage(question, (token) => {
        const input = {
          Bucket: url.bucket,
          Prefix: prefix,
          // XML has no words for some characters of a key.
          EncodingType: 'url',
          MaxKeys: maxKeys,
          Delimiter: oneLevel ? '/' : undefined,
          StartAfter: token === undefined ? after : undefined,
          ContinuationToken: token,
        } as const
        return client.send(
          new ListObjectsV2Command(input),
          signal === undefined ? {} : { abortSignal: abortSignalOf(signal) },
        )
      })
    },
    put: async (key, text) => {
      // The SDK does not count an empty body, and warns on the console.
      const length = Buffer.byteLength(text)
      await client.send(new PutObjectCommand({ Bucket: url.bucket, Key: key, Body: text, ContentLength: length }))
    },
    close: () => client.destroy(),
  }
}
