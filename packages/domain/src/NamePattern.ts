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

// Stand for `*` and `?` among the UTF-16 units of a pattern.
const anyText = -1
const anyCharacter = -2

const foldCase = (unit: number): number => (unit >= 65 && unit <= 90 ? unit + 32 : unit)

const unitsOf = (token: string): ReadonlyArray<number> => {
  if (token === '*') return [anyText]
  if (token === '?') return [anyCharacter]
  const unescaped = token.replace(/^\\/, '')
  return unescaped.split('').map((unit) => foldCase(unit.charCodeAt(0)))
}

/**
 * After a mismatch, only the last `*` takes one more unit, because the text between two `*` may end as early as possible. So a
 * match takes at most as many steps as the characters of the pattern times those of the name.
 */
const matches = (units: ReadonlyArray<number>, name: string): boolean => {
  const at = { unit: 0, name: 0 }
  const retry = { unit: 0, name: 0 }
  while (at.name < name.length) {
    const unit = units[at.unit]
    if (unit === anyText) {
      at.unit += 1
      retry.unit = at.unit
      retry.name = at.name
    } else if (unit === anyCharacter) {
      at.unit += 1
      at.name += (name.codePointAt(at.name) ?? 0) > 0xffff ? 2 : 1
    } else if (unit === foldCase(name.charCodeAt(at.name))) {
      at.unit += 1
      at.name += 1
    } else if (retry.unit === 0) return false
    else {
      retry.name += 1
      at.unit = retry.unit
      at.name = retry.name
    }
  }
  return units.slice(at.unit).every((unit) => unit === anyText)
}

const mayBe = (unit: number | undefined, nameUnit: number): boolean =>
  unit === anyText || unit === anyCharacter || unit === foldCase(nameUnit)

/** Returns a function that reports whether a name matches a pattern. */
export const matcher = (pattern: NamePattern): ((name: string) => boolean) => {
  const units = tokensOf(pattern).flatMap(unitsOf)
  const [first, last] = [units[0], units.at(-1)]
  return (name) => {
    // Stryker disable next-line ConditionalExpression,LogicalOperator: saves time, as most names differ in their first or last unit
    const mayMatch = mayBe(first, name.charCodeAt(0)) && mayBe(last, name.charCodeAt(name.length - 1))
    return mayMatch && matches(units, name)
  }
}
