import * as O from 'fp-ts/lib/Option.js'
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

const foldCase = (unit: number): number => (unit >= 65 && unit <= 90 ? unit + 32 : unit)

/** Stands for `?` in a part of a pattern. */
const anyOne = 0

/** A value that has a pattern, and the parts around each `*` of it. Ready for comparisons with many names. */
export interface Compiled<A> {
  readonly value: A
  readonly parts: ReadonlyArray<string>
}

/** Makes ASCII letters lower case, and each `?` NUL. No pattern contains `/` or NUL. */
export const compile = <A extends { readonly pattern: NamePattern }>(value: A): Compiled<A> => {
  const units = tokensOf(value.pattern).map((token) =>
    token === '*' ? '/' : token === '?' ? '\0' : token.replace(/^\\/, ''),
  )
  const folded = units.join('').replace(/[A-Z]/g, (letter) => letter.toLowerCase())
  return { value, parts: folded.split('/') }
}

const noMatch = -1

/** Returns the end of the part that begins at `start`, or {@link noMatch}. Beyond the end of the name `charCodeAt` returns `NaN`. */
const matchAt = (part: string, name: string, start: number, index = 0): number => {
  if (index === part.length) return start
  const unit = part.charCodeAt(index)
  if (unit === anyOne) return matchAt(part, name, start + ((name.codePointAt(start) ?? 0) > 0xffff ? 2 : 1), index + 1)
  return foldCase(name.charCodeAt(start)) === unit ? matchAt(part, name, start + 1, index + 1) : noMatch
}

/** Returns the end of the first occurrence of the part from `start` on, or {@link noMatch}. The last part must end the name. */
const search = (part: string, isLast: boolean, name: string, start: number): number => {
  const end = matchAt(part, name, start)
  if (end !== noMatch && (!isLast || end === name.length)) return end
  return start < name.length ? search(part, isLast, name, start + 1) : noMatch
}

/**
 * The first part matches at the beginning, and each other part at its first occurrence after the one before. Without
 * backtracking, a match takes at most as many steps as the characters of the pattern times those of the name.
 */
const matches = (parts: ReadonlyArray<string>, name: string): boolean => {
  const afterPart = (from: number, part: string, index: number): number => {
    if (index === 0) return matchAt(part, name, 0)
    return from === noMatch ? noMatch : search(part, index === parts.length - 1, name, from)
  }
  return parts.reduce(afterPart, 0) === name.length
}

/** Reports whether a name with this unit at its first or last index may match a pattern with this part there. */
const fits = (unit: number, part = '', index = 0): boolean =>
  part === '' || part.charCodeAt(index) === anyOne || part.charCodeAt(index) === unit

/** Returns the first value whose pattern matches a name. */
export const find = <A>(compiled: ReadonlyArray<Compiled<A>>, name: string): A | undefined => {
  const [first, last] = [foldCase(name.charCodeAt(0)), foldCase(name.charCodeAt(name.length - 1))]
  for (const { value, parts } of compiled) {
    const lastPart = parts[parts.length - 1] ?? ''
    // Most names differ from a pattern in their first or last unit.
    if (fits(first, parts[0]) && fits(last, lastPart, lastPart.length - 1) && matches(parts, name)) return value
  }
  return undefined
}
