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
const matchAt = (part: Part, name: string, start: number, index = 0): number => {
  const unit = part[index]
  if (unit === undefined) return start
  if (unit === anyOne) return matchAt(part, name, start + ((name.codePointAt(start) ?? 0) > 0xffff ? 2 : 1), index + 1)
  return fold(name.charCodeAt(start)) === unit ? matchAt(part, name, start + 1, index + 1) : noMatch
}

/** Returns the end of the first occurrence of the part from `start` on, or {@link noMatch}. The last part must end the name. */
const search = (part: Part, isLast: boolean, name: string, start: number): number => {
  const end = matchAt(part, name, start)
  if (end !== noMatch && (!isLast || end === name.length)) return end
  return start < name.length ? search(part, isLast, name, start + 1) : noMatch
}

/** Reports whether the unit of the name at this index may be this one of a pattern. */
const mayBe = (unit: number, name: string, index: number): boolean =>
  unit === anyOne || unit === fold(name.charCodeAt(index))

/**
 * Compiles a pattern. The first part matches at the beginning, and each other part at its first occurrence after the one before.
 * Without backtracking, a match takes at most as many steps as the characters of the pattern times those of the name.
 */
export const matcher = (pattern: NamePattern): ((name: string) => boolean) => {
  const [first, ...others] = partsOf(tokensOf(pattern))
  // Most names differ in their first or last unit.
  const [firstUnit = anyOne, lastUnit = anyOne] = [first[0], (others.at(-1) ?? first).at(-1)]
  return (name) => {
    // Stryker disable next-line ConditionalExpression,LogicalOperator: this only saves time
    if (!mayBe(firstUnit, name, 0) || !mayBe(lastUnit, name, name.length - 1)) return false
    const afterPart = (from: number, part: Part, index: number): number =>
      from === noMatch ? noMatch : search(part, index === others.length - 1, name, from)
    return others.reduce(afterPart, matchAt(first, name, 0)) === name.length
  }
}
