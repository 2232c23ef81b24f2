import { type Area, Failure, type Listing, Name, U64 } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { S3Url } from './S3Url.js'

/** Text that is no key prefix below the storage's. Its message says what to write. */
const noPrefix = (location: string): string =>
  location.startsWith('/')
    ? `the area ${location} is a directory, which belongs to file storage: give the account a key prefix with \`canopy account update --area\``
    : `the area ${location} is no key prefix: it may have no empty, "." or ".." segment`

/** Other locations belong to file storage: an absolute directory, say. */
export const isKeyPrefix = (location: string): boolean => location.split('/').every(Name.is)

/** What every key of an area begins with: its location below the storage's prefix. `left` where that is none. */
export const areaPrefix = (
  { prefix }: S3Url,
  { location }: Pick<Area.Area, 'location'>,
): E.Either<Failure.External, string> =>
  isKeyPrefix(location) ? E.right(`${prefix}${location}/`) : E.left(Failure.external(new Error(noPrefix(location))))

/** What one key of a page says: a file, or that a directory is there. */
export interface Found {
  /** From the prefix that was asked on, up to a segment that names nothing. */
  readonly names: ReadonlyArray<Name.Name>
  /** The segment behind the names, where it is empty, `.`, `..`, too long or no UTF-8, as the store spells it. */
  readonly noName: string | undefined
  /** `undefined` for a key that ends in a slash: the names lead to a directory. */
  readonly file: Listing.FileNode | undefined
}

/** Stores differ in what they escape: Ceph also the slash, AWS writes a space as `+`. Without an escape it is as it is. */
export const decoded = (segment: string, isEncoded: boolean): O.Option<string> =>
  isEncoded ? Name.decodeRawSegment(segment.replaceAll('+', ' ')) : O.some(segment)

const isPlain = /^[ !-$&-*,-~]*$/
const isAscii = /^[\0-~]*$/

const utf8 = (text: string): string => (isAscii.test(text) ? text : Buffer.from(text).toString('latin1'))

const byteOf = (_: string, hex: string): string => String.fromCharCode(Number.parseInt(hex, 16))

/** The bytes of a key, one character each, so that `<` compares them. */
export const bytesOf = (text: string, isEscaped: boolean): string => {
  if (isPlain.test(text)) return text
  if (!isEscaped) return utf8(text)
  const key = decoded(text, true)
  if (O.isSome(key)) return utf8(key.value)
  return utf8(text.replaceAll('+', ' ')).replace(/%([\da-f]{2})/gi, byteOf)
}

/** A key or a common prefix of a page. */
export interface Spelled {
  /** As the store spells it. */
  readonly text: string
  readonly isEscaped: boolean
  readonly bytes: string
}

/** What a store that escapes never writes: characters beyond ASCII, and a `%` without digits. */
const unescapable = /[\u0080-\uffff]|%(?![\da-f]{2})/i

/**
 * Reads text of a page. Ceph before 14.2.6 leaves common prefixes as they are in a page of escaped keys, which shows where
 * escapes would lead out of the requested prefix, given in bytes.
 */
export const spelled = (text: string, prefix: string, isEncoded: boolean): Spelled => {
  const escaped: Spelled | undefined =
    isEncoded && !unescapable.test(text) ? { text, isEscaped: true, bytes: bytesOf(text, true) } : undefined
  if (escaped?.bytes.startsWith(prefix)) return escaped
  const plain: Spelled = { text, isEscaped: false, bytes: bytesOf(text, false) }
  return escaped === undefined || plain.bytes.startsWith(prefix) ? plain : escaped
}

const nameOf = (segment: string, isEncoded: boolean): Name.Name | undefined => {
  const text = decoded(segment, isEncoded)
  return O.isSome(text) && Name.is(text.value) ? text.value : undefined
}

/** A key as the store spells it, without its first segments. */
export const foundAt = (
  key: string,
  isEncoded: boolean,
  skipped: number,
  file: Listing.FileNode | undefined,
): Found => {
  const segments = key.split(isEncoded ? /%2F|\//i : '/').slice(skipped)
  const isDirectory = segments.at(-1) === ''
  const names: Array<Name.Name> = []
  for (const segment of isDirectory ? segments.slice(0, -1) : segments) {
    const name = nameOf(segment, isEncoded)
    if (name === undefined) return { names, noName: segment, file: undefined }
    names.push(name)
  }
  return { names, noName: undefined, file: isDirectory ? undefined : file }
}

/** The file that an object is. */
export const fileOf = (size: number, modified: Date): Listing.FileNode => ({
  type: 'file',
  size: U64.clamp(BigInt(size)),
  last_modified: U64.clamp(BigInt(Math.floor(modified.getTime() / 1000))),
})

/** After every key that goes on from this one without a slash, and before those that do so with one. */
export const beforeDirectory = (key: string): string => `${key}.\u{10ffff}`
