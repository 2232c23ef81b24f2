import type { ListObjectsV2CommandOutput } from '@aws-sdk/client-s3'
import * as O from 'fp-ts/lib/Option.js'
import { bytesOf, decoded, type Found, fileOf, foundAt, type Spelled, spelled } from './keys.js'

/** What to list, and from where on. */
export interface Question {
  /** Segments that each end in a slash, and perhaps the beginning of a name. */
  readonly prefix: string
  /** What lies deeper than one level is one key that ends in a slash. */
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
  /** The bytes of the last key or common prefix, one character each: the next page lists later ones. */
  readonly last: string
}

export interface Page {
  /** From the last slash of the prefix on. In the order of the keys, but those that name a level come last. */
  readonly found: ReadonlyArray<Found>
  /** The last key of a page of all levels; `none` where it cannot be asked for again. */
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

/** Each must come after the one before it, so that every page makes progress. */
const checkOrder = (listed: ReadonlyArray<Spelled>, isAfterStart: (bytes: string) => boolean): void => {
  for (const [index, { text, bytes }] of listed.entries()) {
    const before = listed[index - 1]
    if (before === undefined ? !isAfterStart(bytes) : bytes <= before.bytes)
      throw fault(
        'KeysOutOfOrder',
        `${JSON.stringify(text)} after ${JSON.stringify(before?.text ?? 'the page before')}`,
      )
  }
}

/** Every field that a store must give: what is no listing would else be one of nothing. */
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
  checkOrder(objects, (bytes) => bytes > start)
  // The key to start after may be in the first level, which then holds later keys too.
  checkOrder(levels, (bytes) => bytes > start || (question.from === undefined && start.startsWith(bytes)))
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
 * The next page that is not empty, or the last one. Rejects where the store's answer is not what S3 promises: keys below the
 * prefix, all that it counts, in the order of their bytes.
 */
export const readPage = async (
  question: Question,
  ask: (token: string | undefined) => Promise<ListObjectsV2CommandOutput>,
): Promise<Page> => {
  /** Since the last key. */
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
