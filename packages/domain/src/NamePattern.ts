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

/** Returns the parts around each `*`, with ASCII letters in lower case and NUL for each `?`. No pattern contains `/` or NUL. */
const partsOf = (pattern: NamePattern): ReadonlyArray<string> =>
  tokensOf(pattern)
    .map((token) => (token === '*' ? '/' : token === '?' ? '\0' : token.replace(/^\\/, '')))
    .join('')
    .replace(/[A-Z]/g, (letter) => letter.toLowerCase())
    .split('/')

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
const matches = (first: string, others: ReadonlyArray<string>, name: string): boolean => {
  const afterPart = (from: number, part: string, index: number): number =>
    from === noMatch ? noMatch : search(part, index === others.length - 1, name, from)
  return others.reduce(afterPart, matchAt(first, name, 0)) === name.length
}

/** Returns the unit at the end of a part, or {@link anyOne} where a `*` follows. */
const unitAt = (part: string, index: number): number => (part === '' ? anyOne : part.charCodeAt(index))

/** Compiles patterns. Returns a function that finds the first of the values whose pattern matches a name. */
export const finder = <A extends { readonly pattern: NamePattern }>(
  values: ReadonlyArray<A>,
): ((name: string) => A | undefined) => {
  const compiled = values.map((value) => {
    const [first = '', ...others] = partsOf(value.pattern)
    const last = others.at(-1) ?? first
    return { value, first, others, firstUnit: unitAt(first, 0), lastUnit: unitAt(last, last.length - 1) }
  })
  return (name) => {
    const [nameFirst, nameLast] = [foldCase(name.charCodeAt(0)), foldCase(name.charCodeAt(name.length - 1))]
    for (const { value, first, others, firstUnit, lastUnit } of compiled) {
      // Only saves time: most names differ from a pattern in their first or last unit.
      // Stryker disable next-line ConditionalExpression,LogicalOperator,EqualityOperator
      if (firstUnit !== anyOne && firstUnit !== nameFirst) continue
      if (lastUnit !== anyOne && lastUnit !== nameLast) continue
      if (matches(first, others, name)) return value
    }
    return undefined
  }
}
