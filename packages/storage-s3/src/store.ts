import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { S3ClientConfig } from '@aws-sdk/client-s3'
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

const characters: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
const unescaped = (text: string): string =>
  text.replaceAll(/&(?:#x([\da-f]+)|#(\d+)|(\w+));/gi, (whole, hex, decimal, name) =>
    name === undefined
      ? String.fromCodePoint(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16))
      : (characters[name] ?? whole),
  )

/** Texts in the XML of a listing, by the names of their elements. */
type Fields = Map<string, string>

interface Answer {
  readonly fields: Fields
  readonly objects: Array<Fields>
  readonly levels: Array<Fields>
}

const elements =
  /<(\/?)(Contents|CommonPrefixes)>|<(Key|Size|LastModified|Prefix|EncodingType|IsTruncated|NextContinuationToken)>([^<]+)</g

const answerIn = (xml: string): Answer => {
  if (!xml.trimEnd().endsWith('</ListBucketResult>')) throw noListing
  const answer: Answer = { fields: new Map(), objects: [], levels: [] }
  let { fields } = answer
  for (const [, slash, list, name = '', text = ''] of xml.matchAll(elements)) {
    if (list === undefined) {
      // Two objects in one: their elements are written in another way than every known store does.
      if (fields.has(name)) throw noListing
      fields.set(name, unescaped(text))
    } else if (slash === '/') fields = answer.fields
    else {
      fields = new Map()
      const into = list === 'Contents' ? answer.objects : answer.levels
      into.push(fields)
    }
  }
  return answer
}

const field = (fields: Fields, name: string): string => {
  const text = fields.get(name)
  if (text === undefined) throw noListing
  return text
}

/** Every field that a store must give: what is no listing would else be one of nothing. */
const pageOf = (prefix: string, { fields, objects, levels }: Answer): Page => {
  const isTruncated = field(fields, 'IsTruncated') === 'true'
  const isEncoded = fields.get('EncodingType') === 'url'
  const skipped = prefix.split('/').length - 1
  const files = objects.map((object) => {
    const [size, modified] = [Number(field(object, 'Size')), Date.parse(field(object, 'LastModified'))]
    if (Number.isNaN(size + modified)) throw noListing
    return foundAt(field(object, 'Key'), isEncoded, skipped, fileOf(size, modified))
  })
  return {
    found: [...files, ...levels.map((level) => foundAt(field(level, 'Prefix'), isEncoded, skipped, undefined))],
    last: decoded(objects.at(-1)?.get('Key') ?? '', isEncoded),
    next: isTruncated ? field(fields, 'NextContinuationToken') : undefined,
  }
}

/** Loads the SDK. */
export const openStore = async (url: S3Url): Promise<Store> => {
  const { ListObjectsV2Command, PutObjectCommand, S3Client } = await import('@aws-sdk/client-s3')
  const client = new S3Client(configOf(url))
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
      let xml = ''
      // The SDK's parser makes a string for each character, most of the time and the memory of a tree: it gets no body.
      asked.middlewareStack.add(
        (next) => async (args) => {
          const result = await next(args)
          const response = result.response as { readonly statusCode: number; body: Readable | Uint8Array }
          if (response.statusCode === 200 && response.body instanceof Readable) {
            xml = await text(response.body)
            response.body = new Uint8Array()
          }
          return result
        },
        { step: 'deserialize', priority: 'low' },
      )
      await client.send(asked, waiting === undefined ? {} : { abortSignal: waiting })
      return pageOf(prefix, answerIn(xml))
    },
    put: async (key, body) => {
      // The SDK does not count an empty body, and warns on the console.
      const length = Buffer.byteLength(body)
      await client.send(new PutObjectCommand({ Bucket: url.bucket, Key: key, Body: body, ContentLength: length }))
    },
    close: () => client.destroy(),
  }
}
