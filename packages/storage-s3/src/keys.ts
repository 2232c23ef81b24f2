import { type Area, type Entry, Failure, Name, U64 } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import type { S3Url } from './S3Url.js'

// Keys are handled as bytes of UTF-8, one character each, so that `<` compares them as the store does.

/** Explains how to write the key prefix of an area. */
const invalidPrefix = (location: string): string =>
  location.startsWith('/')
    ? `the area ${location} is a directory, but the storage is an object store: give the account a key prefix with \`canopy account update --area\``
    : `the area ${location} is not a key prefix: each segment must be 1 to ${Name.maxBytes} bytes of UTF-8, and not "." or ".."`

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

const isAscii = /^[\0-~]*$/

export const bytesOf = (text: string): string => (isAscii.test(text) ? text : Buffer.from(text).toString('latin1'))

/** Bytes that are not UTF-8 become U+FFFD. */
export const textOf = (bytes: string): string => (isAscii.test(bytes) ? bytes : Buffer.from(bytes, 'latin1').toString())

/** Returns the name that these bytes spell; `undefined` if they are not a valid name. */
export const nameOf = (bytes: string): Name.Name | undefined => {
  const text = textOf(bytes)
  return Name.is(text) && (text === bytes || bytesOf(text) === bytes) ? text : undefined
}

/** The size and the time of an object, as numbers, because a page has a thousand of them. */
export interface ObjectFields {
  readonly size: number
  /** Unix time in whole seconds, at least 0. */
  readonly modified: number
}

/** Converts the fields of an object to a file; without them, the node is a directory. */
export const nodeOf = (object: ObjectFields | undefined): Entry.Node =>
  object === undefined
    ? { type: 'dir', last_modified: U64.zero }
    : { type: 'file', size: u64(object.size), last_modified: u64(object.modified) }

export const u64 = (number: number): U64.U64 => U64.clamp(BigInt(number))

/** A key or a common prefix that the store lists: a file, or evidence of a directory. */
export interface ListedKey {
  /** The whole key. */
  readonly bytes: string
  /** The segments after the last slash of the requested prefix, up to an invalid one. */
  readonly names: ReadonlyArray<Name.Name>
  /**
   * The bytes of the segment after them if it is empty, `.`, `..`, too long or not UTF-8. With a slash if another segment
   * follows.
   */
  readonly invalidSegment: string | undefined
  /** `undefined` for a key that ends in a slash, or has an invalid segment, because the names lead to a directory. */
  readonly file: ObjectFields | undefined
}

/** Splits a key into names, from the index `start` on. */
export const listedKey = (bytes: string, start: number, file: ObjectFields | undefined): ListedKey => {
  const segments = bytes.slice(start).split('/')
  const isDirectory = segments.at(-1) === ''
  if (isDirectory) segments.pop()
  const names: Array<Name.Name> = []
  for (const segment of segments) {
    const name = nameOf(segment)
    if (name === undefined) {
      const isLast = names.length === segments.length - 1 && !isDirectory
      return { bytes, names, invalidSegment: isLast ? segment : `${segment}/`, file: undefined }
    }
    names.push(name)
  }
  return { bytes, names, invalidSegment: undefined, file: isDirectory ? undefined : file }
}

/**
 * Returns text that sorts just before the keys of a directory, after all other keys that begin with its name and sort before
 * them.
 */
export const beforeDirectory = (key: string): string => `${key}.\u{10ffff}`

/** Returns text that sorts just after the keys of a directory: `0` follows the slash. */
export const afterDirectory = (key: string): string => `${key}0`
