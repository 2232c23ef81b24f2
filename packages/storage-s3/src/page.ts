import type { ListObjectsV2CommandOutput } from '@aws-sdk/client-s3'
import { bytesOf, fileOf, type ListedKey, listedKey, type Spelled, spelled } from './keys.js'

/** Which keys to list. */
export interface PageRequest {
  /** Segments that each end in a slash, and perhaps the beginning of a name. */
  readonly prefix: string
  /** Whether the store groups deeper keys into common prefixes, which end in a slash. */
  readonly oneLevel: boolean
  /** Only keys after this one. */
  readonly after?: string | undefined
  /** The end of the previous page. */
  readonly from?: PageEnd | undefined
  readonly maxKeys?: number
}

/** The end of a page that another page follows. */
export interface PageEnd {
  /** The store's continuation token. */
  readonly token: string
  /** The bytes of the last key or common prefix, one character each. The next page lists later ones. */
  readonly last: string
}

export interface Page {
  /** Keys come first, then common prefixes, each in byte order. */
  readonly keys: ReadonlyArray<ListedKey>
  /** `undefined` on the last page. */
  readonly end: PageEnd | undefined
}

/** Limit on consecutive empty pages. Stores return some where much was deleted, and a faulty store returns them forever. */
const maxEmptyPages = 500

/** `storeFailed` has a hint for each of these names. */
const fault = (
  name:
    | 'CaseIgnored'
    | 'KeysMissing'
    | 'KeysOutOfOrder'
    | 'KeysOutsidePrefix'
    | 'NoListing'
    | 'NoProgress'
    | 'TokenRepeated',
  message: string,
): Error => Object.assign(new Error(message), { name })

export const caseIgnored = (key: string): Error => fault('CaseIgnored', `of ${JSON.stringify(key)}`)

export const isCaseIgnored = (thrown: unknown): boolean => thrown instanceof Error && thrown.name === 'CaseIgnored'

const noListing = fault('NoListing', 'the response is not a listing')

const given = <A>(field: A | undefined): A => {
  if (field === undefined) throw noListing
  return field
}

const checkPrefix = (listed: ReadonlyArray<Spelled>, requested: string): void => {
  const prefix = bytesOf(requested, false)
  const stray = listed.find(({ bytes }) => !bytes.startsWith(prefix))
  if (stray === undefined) return
  if (stray.bytes.toLowerCase().startsWith(prefix.toLowerCase())) throw caseIgnored(stray.text)
  throw fault('KeysOutsidePrefix', `${JSON.stringify(stray.text)} in a listing of ${JSON.stringify(requested)}`)
}

const textOf = (bytes: string): string => JSON.stringify(Buffer.from(bytes, 'latin1').toString())

/** Requires a strict order, so that every page makes progress. */
const checkOrder = (listed: ReadonlyArray<Spelled>, start: string, isAfterStart: (bytes: string) => boolean): void => {
  for (const [index, { bytes }] of listed.entries()) {
    const before = listed[index - 1]?.bytes
    if (before === undefined ? !isAfterStart(bytes) : bytes <= before)
      throw fault('KeysOutOfOrder', `${textOf(bytes)} after ${textOf(before ?? start)}`)
  }
}

/** Requires every field of a listing, because a response of another kind would pass for an empty one. */
const pageOf = (request: PageRequest, answer: ListObjectsV2CommandOutput): Page => {
  const { Contents = [], CommonPrefixes = [], EncodingType, IsTruncated, KeyCount, NextContinuationToken } = answer
  if (IsTruncated === undefined || (IsTruncated && NextContinuationToken === undefined)) throw noListing
  const isEncoded = EncodingType === 'url'
  const prefix = bytesOf(request.prefix, false)
  const objects = Contents.map(({ Key }) => spelled(given(Key), prefix, isEncoded))
  const levels = CommonPrefixes.map(({ Prefix }) => spelled(given(Prefix), prefix, isEncoded))
  if (KeyCount !== undefined && objects.length + levels.length < KeyCount)
    throw fault('KeysMissing', `${objects.length + levels.length} of ${KeyCount}`)
  checkPrefix([...objects, ...levels], request.prefix)
  const start = request.from?.last ?? bytesOf(request.after ?? '', false)
  checkOrder(objects, start, (bytes) => bytes > start)
  // The first common prefix may contain the key to start after, and later keys.
  checkOrder(levels, start, (bytes) => bytes > start || (request.from === undefined && start.startsWith(bytes)))
  const skipped = request.prefix.split('/').length - 1
  const [last = start] = [start, objects.at(-1)?.bytes ?? '', levels.at(-1)?.bytes ?? ''].sort().reverse()
  return {
    keys: [
      ...objects.map((key, index) => {
        const { Size, LastModified } = Contents[index] ?? {}
        return listedKey(key, skipped, fileOf(given(Size), given(LastModified)))
      }),
      ...levels.map((level) => listedKey(level, skipped, undefined)),
    ],
    end: IsTruncated && NextContinuationToken !== undefined ? { token: NextContinuationToken, last } : undefined,
  }
}

/**
 * Reads the next page with keys, or the last page. Rejects a page that breaks a promise of S3: keys below the prefix, as many
 * as it counts, in byte order, and a token that leads on.
 */
export const readPage = async (
  request: PageRequest,
  ask: (token: string | undefined) => Promise<ListObjectsV2CommandOutput>,
): Promise<Page> => {
  /** Tokens since the last key. */
  const tokens = new Set<string>()
  for (let token = request.from?.token; tokens.size <= maxEmptyPages; ) {
    if (token !== undefined) tokens.add(token)
    const answer = await ask(token)
    token = answer.IsTruncated ? answer.NextContinuationToken : undefined
    if (token !== undefined && tokens.has(token)) throw fault('TokenRepeated', JSON.stringify(token))
    const page = pageOf(request, answer)
    if (page.end === undefined || page.keys.length > 0) return page
  }
  throw fault('NoProgress', `${maxEmptyPages} of them`)
}
