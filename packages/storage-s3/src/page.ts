import type { ListObjectsV2CommandOutput } from '@aws-sdk/client-s3'
import * as O from 'fp-ts/lib/Option.js'
import { bytesOf, decoded, type Found, fileOf, foundAt, type Spelled, spelled } from './keys.js'

/** What to list, and from where on. */
export interface Question {
  /** Segments that each end in a slash, and perhaps the beginning of a name. */
  readonly prefix: string
  /** Whether the store groups deeper keys into common prefixes, which end in a slash. */
  readonly oneLevel: boolean
  /** Only keys after this one. */
  readonly after?: string | undefined
  /** Where the page before this one ended. */
  readonly from?: PageEnd | undefined
  readonly maxKeys?: number
}

/** Where a page ended that another one follows. */
export interface PageEnd {
  /** The store's own word for it. */
  readonly token: string
  /** The bytes of the last key or common prefix, one character each. The next page lists later ones. */
  readonly last: string
}

export interface Page {
  /** Names begin after the last slash of the prefix. Keys come first, then common prefixes, each in byte order. */
  readonly found: ReadonlyArray<Found>
  /** The last key of a page of all levels; `none` if it is not UTF-8, so that no request can start after it. */
  readonly last: O.Option<string>
  /** Where the next page begins; `undefined` after the last one. */
  readonly end: PageEnd | undefined
}

/** Upper bound of empty pages in a row: stores give some where much was deleted, and a faulty store gives them forever. */
const maxEmptyPages = 500

/** `explained` has a hint for each of these names. */
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

const noListing = fault('NoListing', 'the answer is no listing')

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

/** A strict order, so that every page makes progress. */
const checkOrder = (listed: ReadonlyArray<Spelled>, start: string, isAfterStart: (bytes: string) => boolean): void => {
  for (const [index, { bytes }] of listed.entries()) {
    const before = listed[index - 1]?.bytes
    if (before === undefined ? !isAfterStart(bytes) : bytes <= before)
      throw fault('KeysOutOfOrder', `${textOf(bytes)} after ${textOf(before ?? start)}`)
  }
}

/** Requires every field of a listing: an answer of another kind would pass for an empty one. */
const pageOf = (question: Question, answer: ListObjectsV2CommandOutput): Page => {
  const { Contents = [], CommonPrefixes = [], EncodingType, IsTruncated, KeyCount, NextContinuationToken } = answer
  if (IsTruncated === undefined || (IsTruncated && NextContinuationToken === undefined)) throw noListing
  const isEncoded = EncodingType === 'url'
  const prefix = bytesOf(question.prefix, false)
  const objects = Contents.map(({ Key }) => spelled(given(Key), prefix, isEncoded))
  const levels = CommonPrefixes.map(({ Prefix }) => spelled(given(Prefix), prefix, isEncoded))
  if (KeyCount !== undefined && objects.length + levels.length < KeyCount)
    throw fault('KeysMissing', `${objects.length + levels.length} of ${KeyCount}`)
  checkPrefix([...objects, ...levels], question.prefix)
  const start = question.from?.last ?? bytesOf(question.after ?? '', false)
  checkOrder(objects, start, (bytes) => bytes > start)
  // The first common prefix may contain the key to start after, and later keys.
  checkOrder(levels, start, (bytes) => bytes > start || (question.from === undefined && start.startsWith(bytes)))
  const skipped = question.prefix.split('/').length - 1
  const last = objects.at(-1)
  const [latest = start] = [start, last?.bytes ?? '', levels.at(-1)?.bytes ?? ''].sort().reverse()
  return {
    found: [
      ...objects.map(({ text, isEscaped }, index) => {
        const { Size, LastModified } = Contents[index] ?? {}
        return foundAt(text, isEscaped, skipped, fileOf(given(Size), given(LastModified)))
      }),
      ...levels.map(({ text, isEscaped }) => foundAt(text, isEscaped, skipped, undefined)),
    ],
    last: last === undefined ? O.none : decoded(last.text, last.isEscaped),
    end:
      IsTruncated && NextContinuationToken !== undefined ? { token: NextContinuationToken, last: latest } : undefined,
  }
}

/**
 * Reads the next page with keys, or the last page. Rejects a page that breaks a promise of S3: keys below the prefix, as many
 * as it counts, in byte order, and a token that leads on.
 */
export const readPage = async (
  question: Question,
  ask: (token: string | undefined) => Promise<ListObjectsV2CommandOutput>,
): Promise<Page> => {
  /** Tokens since the last key. */
  const tokens = new Set<string>()
  for (let token = question.from?.token; tokens.size <= maxEmptyPages; ) {
    if (token !== undefined) tokens.add(token)
    const answer = await ask(token)
    token = answer.IsTruncated ? answer.NextContinuationToken : undefined
    if (token !== undefined && tokens.has(token)) throw fault('TokenRepeated', JSON.stringify(token))
    const page = pageOf(question, answer)
    if (page.end === undefined || page.found.length > 0) return page
  }
  throw fault('NoProgress', `${maxEmptyPages} of them`)
}
