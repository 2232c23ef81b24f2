import { pipe } from 'fp-ts/lib/function.js'
import * as N from 'fp-ts/lib/number.js'
import * as O from 'fp-ts/lib/Option.js'
import type * as Ord from 'fp-ts/lib/Ord.js'
import { textCodec } from './textCodec.js'

/**
 * The name of one node in its directory, decoded. Invariants: 1 to 255 bytes of well-formed UTF-8,
 * no `/`, no NUL, neither `.` nor `..`. Never normalised, never case-folded.
 */
export type Name = string & { readonly Name: unique symbol }

/** In bytes of UTF-8, as file systems count. */
export const maxBytes = 255

/**
 * Returns the length of well-formed text in UTF-8: one more byte than `length` per character from U+0080 on, two from U+0800
 * on.
 */
export const utf8Length = (text: string): number =>
  (text.match(/[^\0-\x7f]/gu) ?? []).reduce((bytes, character) => bytes + (character < '\u0800' ? 1 : 2), text.length)

export const is = (u: unknown): u is Name =>
  typeof u === 'string' && /^[^/\0\uD800-\uDFFF]+$/u.test(u) && u !== '.' && u !== '..' && utf8Length(u) <= maxBytes

/** Checks the invariants of a {@link Name} without decoding: `%20` is three characters. */
export const fromString = (s: string): O.Option<Name> => (is(s) ? O.some(s) : O.none)

/** Percent-decodes one segment of a raw request target once. Refuses malformed escapes and bytes that are not UTF-8. */
export const decodeRawSegment = (raw: string): O.Option<string> => O.tryCatch(() => decodeURIComponent(raw))

/** Parses one raw segment of a request target, percent-decoded once, strictly. */
export const fromRawSegment = (raw: string): O.Option<Name> => pipe(decodeRawSegment(raw), O.filter(is))

/** The message of a validation failure. */
export const wanted = 'must be 1 to 255 bytes of UTF-8 without "/" or NUL, and not "." or ".."'

/** Validates text without percent-decoding it. */
export const codec = textCodec('Name', is, wanted)

const codePoints = (text: string): ReadonlyArray<number> =>
  Array.from(text, (character) => character.codePointAt(0) ?? 0)

/**
 * Returns text that precedes the name in byte order, with few other names between the two, if any: no characters follow U+10FFFF.
 */
export const justBefore = (name: Name): string => {
  const end = codePoints(name).at(-1) ?? 0
  const rest = name.slice(0, -String.fromCodePoint(end).length)
  // Stryker disable next-line ConditionalExpression,EqualityOperator: NUL also precedes, but a store may refuse it
  if (end <= 1) return rest
  return `${rest}${String.fromCodePoint(end === 0xe000 ? 0xd7ff : end - 1)}\u{10ffff}`
}

// Stryker disable next-line Regex: this only saves time
const isPlain = /^[ !#-[\]-~]*$/

/** Returns a name or a path as `JSON.stringify` writes it between the quotes; several times faster for plain text. */
export const escaped = (text: string): string => (isPlain.test(text) ? text : JSON.stringify(text).slice(1, -1))

// Stryker disable next-line Regex: this only saves time
const hasSurrogates = (text: string): boolean => /[\ud800-\udfff]/.test(text)

const compareCodePoints = (x: ReadonlyArray<number>, y: ReadonlyArray<number>): -1 | 0 | 1 => {
  const at = x.findIndex((point, index) => point !== y[index])
  const point = x[at]
  return point === undefined ? N.Ord.compare(x.length, y.length) : N.Ord.compare(point, y[at] ?? -1)
}

/**
 * Well-formed text in the byte order of UTF-8, which is that of code points. JavaScript compares UTF-16 units, whose order
 * differs only where text has surrogates.
 */
export const byBytes: Ord.Ord<string> = {
  equals: (x, y) => x === y,
  compare: (x, y) => {
    // Stryker disable next-line ConditionalExpression: this only saves time
    if (hasSurrogates(x) || hasSurrogates(y)) return compareCodePoints(codePoints(x), codePoints(y))
    return x < y ? -1 : x > y ? 1 : 0
  },
}
