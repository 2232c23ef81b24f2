import { type Area, Failure, type Listing, Name, U64 } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { S3Url } from './S3Url.js'

/** Explains how to write the key prefix of an area. */
const invalidPrefix = (location: string): string =>
  location.startsWith('/')
    ? `the area ${location} is a directory, which belongs to file storage: give the account a key prefix with \`canopy account update --area\``
    : `the area ${location} is not a key prefix: it may not have an empty, "." or ".." segment`

/** Other locations, such as an absolute directory, belong to file storage. */
export const isKeyPrefix = (location: string): boolean => location.split('/').every(Name.is)

/** Returns the key prefix of an area, below the prefix of the storage. */
export const areaPrefix = (
  { prefix }: S3Url,
  { location }: Pick<Area.Area, 'location'>,
): E.Either<Failure.External, string> =>
  isKeyPrefix(location)
    ? E.right(`${prefix}${location}/`)
    : E.left(Failure.external(new Error(invalidPrefix(location))))

/** A key or a common prefix that the store lists: a file, or evidence of a directory. */
export interface ListedKey {
  /** The whole key, one character for each byte. */
  readonly bytes: string
  /** The segments after the last slash of the requested prefix, up to an invalid one. */
  readonly names: ReadonlyArray<Name.Name>
  /**
   * The segment after them if it is empty, `.`, `..`, too long or not UTF-8, as the store spells it. With a slash if another
   * segment follows.
   */
  readonly invalidSegment: string | undefined
  /** `undefined` for a key that ends in a slash, or has an invalid segment, because the names lead to a directory. */
  readonly file: Listing.FileNode | undefined
}

/** Stores escape differently: Ceph escapes the slash too, AWS writes a space as `+`. */
const decoded = (segment: string, isEncoded: boolean): O.Option<string> =>
  isEncoded ? Name.decodeRawSegment(segment.replaceAll('+', ' ')) : O.some(segment)

const isPlain = /^[ !-$&-*,-~]*$/
const isAscii = /^[\0-~]*$/

const utf8 = (text: string): string => (isAscii.test(text) ? text : Buffer.from(text).toString('latin1'))

const byteOf = (_: string, hex: string): string => String.fromCharCode(Number.parseInt(hex, 16))

/** Returns the bytes of a key, one character each, so that `<` compares them. */
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

/** Splits a key into names, without its first `skipped` segments. */
export const listedKey = (
  { text, isEscaped, bytes }: Spelled,
  skipped: number,
  file: Listing.FileNode | undefined,
): ListedKey => {
  const segments = text.split(isEscaped ? /%2F|\//i : '/').slice(skipped)
  const isDirectory = segments.at(-1) === ''
  const names: Array<Name.Name> = []
  for (const [index, segment] of (isDirectory ? segments.slice(0, -1) : segments).entries()) {
    const name = nameOf(segment, isEscaped)
    if (name === undefined) {
      const invalidSegment = index === segments.length - 1 ? segment : `${segment}/`
      return { bytes, names, invalidSegment, file: undefined }
    }
    names.push(name)
  }
  return { bytes, names, invalidSegment: undefined, file: isDirectory ? undefined : file }
}

/** Converts an object to a file. */
export const fileOf = (size: number, modified: Date): Listing.FileNode => ({
  type: 'file',
  size: U64.clamp(BigInt(size)),
  last_modified: U64.clamp(BigInt(Math.floor(modified.getTime() / 1000))),
})

/**
 * Returns text that sorts just before the keys of a directory, after all other keys that begin with its name and sort before
 * them.
 */
export const beforeDirectory = (key: string): string => `${key}.\u{10ffff}`
