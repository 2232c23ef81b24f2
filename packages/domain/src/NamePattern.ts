import * as O from 'fp-ts/lib/Option.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import * as RNEA from 'fp-ts/lib/ReadonlyNonEmptyArray.js'
import * as Name from './Name.js'
import { textCodec } from './textCodec.js'

/**
 * A pattern for names: `*` matches any characters, `?` one code point, and `\` escapes the next character.
 * ASCII letters match in either case. Invariants: 1 to 255 bytes of well-formed UTF-8 without `/` and NUL; no `\` at the end.
 */
export type NamePattern = string & { readonly NamePattern: unique symbol }

export const maxBytes = Name.maxBytes

/** Splits a pattern into tokens: `*`, `?`, or one literal character with its escape. */
const tokensOf = (text: string): ReadonlyArray<string> => Array.from(text.matchAll(/\\.|./gsu), ([token]) => token)

export const is = (u: unknown): u is NamePattern =>
  typeof u === 'string' &&
  u !== '' &&
  !/[/\0\uD800-\uDFFF]/u.test(u) &&
  Name.utf8Length(u) <= maxBytes &&
  tokensOf(u).at(-1) !== '\\'

export const fromString = (s: string): O.Option<NamePattern> => (is(s) ? O.some(s) : O.none)

/** The message of a validation failure. */
export const wanted = 'must be 1 to 255 bytes of UTF-8 without "/" or NUL, and must not end in a single "\\"'

export const codec = textCodec('NamePattern', is, wanted)

// matching

/** Matches one code point. */
const anyOne = -1

/** The UTF-16 units between two `*`, with ASCII letters in lower case, and {@link anyOne} for each `?`. */
type Part = ReadonlyArray<number>

const fold = (unit: number): number => (unit >= 65 && unit <= 90 ? unit + 32 : unit)

const unitsOf = (token: string): Part => {
  if (token === '?') return [anyOne]
  const literal = token.startsWith('\\') ? token.slice(1) : token
  return literal.split('').map((unit) => fold(unit.charCodeAt(0)))
}

/** Returns the parts around each `*`. */
const partsOf = (all: ReadonlyArray<string>): RNEA.ReadonlyNonEmptyArray<Part> => {
  const { init, rest } = RA.spanLeft((token: string) => token !== '*')(all)
  const part = init.flatMap(unitsOf)
  return rest.length === 0 ? RNEA.of<Part>(part) : RA.prepend<Part>(part)(partsOf(rest.slice(1)))
}

const noMatch = -1

/**
 * Returns the end of the part that begins at `start`, or {@link noMatch}. Beyond the end of the name `charCodeAt` returns
 * `NaN`.
 */
const matchForward = (part: Part, name: string, start: number, index = 0): number => {
  const unit = part[index]
  if (unit === undefined) return start
  if (unit === anyOne)
    return matchForward(part, name, start + ((name.codePointAt(start) ?? 0) > 0xffff ? 2 : 1), index + 1)
  return fold(name.charCodeAt(start)) === unit ? matchForward(part, name, start + 1, index + 1) : noMatch
}

const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff

/** Returns the start of the part that ends at `end`, or {@link noMatch}. */
const matchBackward = (part: Part, name: string, end: number, index = part.length - 1): number => {
  const unit = part[index]
  if (unit === undefined) return end
  const last = name.charCodeAt(end - 1)
  if (unit === anyOne) return matchBackward(part, name, end - (isLowSurrogate(last) ? 2 : 1), index - 1)
  return fold(last) === unit ? matchBackward(part, name, end - 1, index - 1) : noMatch
}

/** Returns the end of the first occurrence of the part from `start` on, or {@link noMatch}. */
const search = (part: Part, name: string, start: number): number => {
  const end = matchForward(part, name, start)
  if (end !== noMatch) return end
  return start < name.length ? search(part, name, start + 1) : noMatch
}

/**
 * Compiles a pattern. The beginning and the end match in place, and each part between two `*` at its first occurrence. Without
 * backtracking, a match takes at most as many steps as the characters of the pattern times those of the name.
 */
export const matcher = (pattern: NamePattern): ((name: string) => boolean) => {
  const [first, ...rest] = partsOf(tokensOf(pattern))
  const last = rest.at(-1)
  if (last === undefined) return (name) => matchForward(first, name, 0) === name.length
  const middle = rest.slice(0, -1)
  return (name) => {
    const start = matchForward(first, name, 0)
    // Most names differ at their first or last character.
    // Stryker disable next-line ConditionalExpression: a fast path
    const end = start === noMatch ? noMatch : matchBackward(last, name, name.length)
    // Stryker disable next-line ConditionalExpression: a fast path
    if (end === noMatch) return false
    const reached = middle.reduce((from, part) => (from === noMatch ? noMatch : search(part, name, from)), start)
    return reached !== noMatch && reached <= end
  }
}
