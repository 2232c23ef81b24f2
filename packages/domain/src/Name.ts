import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import type * as Ord from 'fp-ts/lib/Ord.js'
import * as t from 'io-ts'
import { decodeRawSegment } from './rawSegment.js'
import { compareUtf8, utf8Length } from './utf8.js'

export interface NameBrand {
  readonly Name: unique symbol
}

/**
 * The name of one node in its directory, decoded. Invariants: 1 to 255 bytes of well-formed UTF-8,
 * no `/`, no NUL, neither `.` nor `..`. Never normalised, never case-folded.
 */
export type Name = string & NameBrand

/** In bytes of UTF-8, as file systems count. */
export const maxBytes = 255

const wellFormed = (s: string): boolean => !/[\uD800-\uDFFF]/u.test(s)

export const is = (u: unknown): u is Name =>
  typeof u === 'string' &&
  u !== '' &&
  u !== '.' &&
  u !== '..' &&
  !u.includes('/') &&
  !u.includes('\0') &&
  wellFormed(u) &&
  utf8Length(u) <= maxBytes

/** `none` when it breaks an invariant of a {@link Name}. Nothing is decoded: `%20` is three characters. */
export const fromString = (s: string): O.Option<Name> => (is(s) ? O.some(s) : O.none)

/** One raw segment of a request target, percent-decoded once, strictly. */
export const fromRawSegment = (raw: string): O.Option<Name> => pipe(decodeRawSegment(raw), O.flatMap(fromString))

/** What a refusal says in place of the name. */
export const wanted = 'must be 1 to 255 bytes of UTF-8 without "/" and NUL, not "." or ".."'

/** Decodes text that is a name as it is; nothing is percent-decoded. */
export const codec: t.Type<Name, string, unknown> = new t.Type(
  'Name',
  is,
  (u, context) => (is(u) ? E.right(u) : t.failure(u, context, wanted)),
  (name) => name,
)

/** What JSON spells as it is: neither a quote nor a backslash, and no control character. */
const asItIs = /^[ !#-[\]-\uffff]*$/

/** Writes names as JSON, with their quotes: those that are part of a text, so that few texts are looked at for many names. */
export const jsonIn = (text: string): ((name: string) => string) =>
  asItIs.test(text) ? (name) => `"${name}"` : (name) => JSON.stringify(name)

/** Byte order of UTF-8, which differs from JavaScript's own order beyond U+FFFF. */
export const byBytes: Ord.Ord<string> = {
  equals: (x, y) => x === y,
  compare: compareUtf8,
}
