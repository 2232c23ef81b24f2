import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { ListObjectsV2CommandOutput, S3ClientConfig } from '@aws-sdk/client-s3'
import type * as O from 'fp-ts/lib/Option.js'
import { decoded, type Found, fileOf, foundAt } from './keys.js'
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

export interface Question {
  /** Segments that each end in a slash, and perhaps the beginning of a name. */
  readonly prefix: string
  /** What lies deeper than one level is one key that ends in a slash. */
  readonly oneLevel: boolean
  /** Only keys after this one. */
  readonly after?: string | undefined
  /** Where the page before this one ended. */
  readonly token?: string | undefined
  readonly most?: number
}

export interface Page {
  /** From the last slash of the prefix on. In the order of the keys, but those that name a level come last. */
  readonly found: ReadonlyArray<Found>
  /** The last key of a page of all levels; `none` where it cannot be asked for again. */
  readonly last: O.Option<string>
  /** Where the next page begins; `undefined` after the last one. */
  readonly next: string | undefined
}

/** One bucket of an object store. All of it rejects with what the SDK throws. */
export interface Store {
  readonly page: (question: Question, waiting?: AbortSignal) => Promise<Page>
  readonly put: (key: string, text: string) => Promise<void>
  readonly close: () => void
}

/** A failure is reported to those who ask for what it was about, and may come before anyone does. */
export const caught = <A>(promise: Promise<A>): Promise<A> => {
  promise.catch(() => undefined)
  return promise
}

/** All pages of a question, in their order. While one is used, the next two are asked for: each names the one behind it. */
export async function* pages(
  store: Pick<Store, 'page'>,
  question: Question,
  waiting?: AbortSignal,
): AsyncGenerator<Page, void> {
  const after = (page: Promise<Page | undefined>): Promise<Page | undefined> =>
    caught(
      page.then((read) =>
        read?.next === undefined ? undefined : store.page({ ...question, after: undefined, token: read.next }, waiting),
      ),
    )
  let page: Promise<Page | undefined> = store.page(question, waiting)
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

const noListing = Object.assign(new Error('the answer is no listing'), { name: 'NoListing' })

/** Every field that a store must give: what is no listing would else be one of nothing. */
const pageOf = (prefix: string, answer: ListObjectsV2CommandOutput): Page => {
  const { Contents = [], CommonPrefixes = [], EncodingType, IsTruncated, NextContinuationToken: next } = answer
  if (IsTruncated === undefined || (IsTruncated && next === undefined)) throw noListing
  const isEncoded = EncodingType === 'url'
  const skipped = prefix.split('/').length - 1
  const objects = Contents.map(({ Key, Size, LastModified }) => {
    if (Key === undefined || Size === undefined || LastModified === undefined) throw noListing
    return foundAt(Key, isEncoded, skipped, fileOf(Size, LastModified))
  })
  const levels = CommonPrefixes.map(({ Prefix }) => {
    if (Prefix === undefined) throw noListing
    return foundAt(Prefix, isEncoded, skipped, undefined)
  })
  return {
    found: [...objects, ...levels],
    last: decoded(Contents.at(-1)?.Key ?? '', isEncoded),
    next: IsTruncated ? next : undefined,
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
    page: async ({ prefix, oneLevel, after, token, most = pageKeys }, waiting) => {
      const asked = new ListObjectsV2Command({
        Bucket: url.bucket,
        Prefix: prefix,
        // XML has no words for some characters of a key.
        EncodingType: 'url',
        MaxKeys: most,
        Delimiter: oneLevel ? '/' : undefined,
        StartAfter: after,
        ContinuationToken: token,
      })
      return pageOf(prefix, await client.send(asked, waiting === undefined ? {} : { abortSignal: waiting }))
    },
    put: async (key, text) => {
      // The SDK does not count an empty body, and warns on the console.
      const length = Buffer.byteLength(text)
      await client.send(new PutObjectCommand({ Bucket: url.bucket, Key: key, Body: text, ContentLength: length }))
    },
    close: () => client.destroy(),
  }
}
