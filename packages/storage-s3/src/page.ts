import { bytesOf, type ListedKey, listedKey, textOf } from './keys.js'
import type { StoreListing } from './listingXml.js'

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

export const caseIgnored = (key: string): Error => fault('CaseIgnored', JSON.stringify(key))

export const isCaseIgnored = (thrown: unknown): boolean => thrown instanceof Error && thrown.name === 'CaseIgnored'

/** For a response that is no listing. */
export const noListing = (): Error => fault('NoListing', 'the response is not a listing')

const isPlain = /^[ !-$&-*,-~]*$/

/** Text that a store never writes when it escapes: characters beyond ASCII, and a `%` without digits. */
const unescapable = /[\x80-\xff]|%(?![\da-f]{2})/i

/**
 * Returns the bytes of a key. Ceph before 14.2.6 does not escape the common prefixes of a page of escaped keys, which shows
 * where unescaping would lead out of the requested prefix.
 */
const keyBytes = (text: string, prefix: string, isEncoded: boolean): string => {
  if (!isEncoded || isPlain.test(text) || unescapable.test(text)) return text
  // AWS writes a space as `+`.
  const bytes = text
    .replaceAll('+', ' ')
    .replace(/%([\da-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  return text.startsWith(prefix) && !bytes.startsWith(prefix) ? text : bytes
}

const quoted = (bytes: string): string => JSON.stringify(textOf(bytes))

const checkPrefix = (listed: ReadonlyArray<string>, prefix: string): void => {
  const stray = listed.find((bytes) => !bytes.startsWith(prefix))
  if (stray === undefined) return
  if (stray.toLowerCase().startsWith(prefix.toLowerCase())) throw caseIgnored(textOf(stray))
  throw fault('KeysOutsidePrefix', `${quoted(stray)} in a listing of ${quoted(prefix)}`)
}

/** Requires a strict order, so that every page makes progress. */
const checkOrder = (listed: ReadonlyArray<string>, start: string, isAfterStart: (bytes: string) => boolean): void => {
  let before: string | undefined
  for (const bytes of listed) {
    if (before === undefined ? !isAfterStart(bytes) : bytes <= before)
      throw fault('KeysOutOfOrder', `${quoted(bytes)} after ${quoted(before ?? start)}`)
    before = bytes
  }
}

const pageOf = (request: PageRequest, { objects, commonPrefixes, isEncoded, keyCount, token }: StoreListing): Page => {
  const prefix = bytesOf(request.prefix)
  const keys = objects.map(({ key }) => keyBytes(key, prefix, isEncoded))
  const levels = commonPrefixes.map((text) => keyBytes(text, prefix, isEncoded))
  if (keyCount !== undefined && keys.length + levels.length < keyCount)
    throw fault('KeysMissing', `${keys.length + levels.length} of ${keyCount}`)
  checkPrefix(keys, prefix)
  checkPrefix(levels, prefix)
  const start = request.from?.last ?? bytesOf(request.after ?? '')
  checkOrder(keys, start, (bytes) => bytes > start)
  // The first common prefix may contain the key to start after, and later keys.
  checkOrder(levels, start, (bytes) => bytes > start || (request.from === undefined && start.startsWith(bytes)))
  const [last = start] = [start, keys.at(-1) ?? '', levels.at(-1) ?? ''].sort().reverse()
  const directory = prefix.lastIndexOf('/') + 1
  return {
    keys: [
      ...keys.map((bytes, index) => listedKey(bytes, directory, objects[index])),
      ...levels.map((bytes) => listedKey(bytes, directory, undefined)),
    ],
    end: token === undefined ? undefined : { token, last },
  }
}

/**
 * Reads the next page with keys, or the last page. Rejects a page that breaks a promise of S3: keys below the prefix, as many
 * as it counts, in byte order, and a token that leads on.
 */
export const readPage = async (
  request: PageRequest,
  ask: (token: string | undefined) => Promise<StoreListing>,
): Promise<Page> => {
  /** Tokens since the last key. */
  const tokens = new Set<string>()
  for (let token = request.from?.token; tokens.size <= maxEmptyPages; ) {
    if (token !== undefined) tokens.add(token)
    const listing = await ask(token)
    token = listing.token
    if (token !== undefined && tokens.has(token)) throw fault('TokenRepeated', JSON.stringify(token))
    const page = pageOf(request, listing)
    if (page.end === undefined || page.keys.length > 0) return page
  }
  throw fault('NoProgress', `${maxEmptyPages} empty pages`)
}
