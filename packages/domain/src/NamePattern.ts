import * as O from 'fp-ts/lib/Option.js'
import * as Name from './Name.js'
import { textCodec } from './textCodec.js'

/**
 * A pattern for names: `*` matches any characters, `?` one code point, and `\` escapes the next character.
 * ASCII letters match in either case. Invariants: 1 to 255 bytes of well-formed UTF-8 without `/` and NUL; no `\` at the end.
 */
export type NamePattern = string & { readonly NamePattern: unique symbol }

/** Each `\` escapes a character. */
const wellFormed = /^(\\\\|\\?[^\\/\0\uD800-\uDFFF])+$/u

export const is = (u: unknown): u is NamePattern =>
  typeof u === 'string' && Name.utf8Length(u) <= Name.maxBytes && wellFormed.test(u)

export const fromString = (s: string): O.Option<NamePattern> => (is(s) ? O.some(s) : O.none)

/** The message of a validation failure. */
export const wanted = 'must be 1 to 255 bytes of UTF-8 without "/" or NUL, and must not end in a single "\\"'

// Pure, so that a bundle which only matches names has neither the codec nor its message.
export const codec = /* @__PURE__ */ textCodec('NamePattern', is, wanted)

// matching, by UTF-16 units

const star = 42
const questionMark = 63
const backslash = 92

/** Folds the case of ASCII letters. Past the end of the text it is NaN, which equals no unit. */
const unitAt = (text: string, index: number): number => {
  const unit = text.charCodeAt(index)
  return unit >= 65 && unit <= 90 ? unit + 32 : unit
}

/**
 * After a mismatch, only the last `*` takes one more unit, because the text between two `*` may end as early as possible. So a
 * match takes at most as many steps as the characters of the pattern times those of the name.
 */
export const matches = (pattern: NamePattern, name: string): boolean => {
  const last = unitAt(pattern, pattern.length - 1)
  // Stryker disable next-line ConditionalExpression,LogicalOperator: saves time, as most names differ in their last unit
  if (last !== star && last !== questionMark && last !== unitAt(name, name.length - 1)) return false
  const at = { pattern: 0, name: 0 }
  const retry = { pattern: 0, name: 0 }
  while (at.name < name.length) {
    const unit = unitAt(pattern, at.pattern)
    const literal = unit === backslash ? at.pattern + 1 : at.pattern
    if (unit === star) {
      at.pattern += 1
      retry.pattern = at.pattern
      retry.name = at.name
    } else if (unit === questionMark) {
      at.pattern += 1
      at.name += (name.codePointAt(at.name) ?? 0) > 0xffff ? 2 : 1
    } else if (unitAt(pattern, literal) === unitAt(name, at.name)) {
      at.pattern = literal + 1
      at.name += 1
    } else if (retry.pattern === 0) return false
    else {
      retry.name += 1
      at.pattern = retry.pattern
      at.name = retry.name
    }
  }
  return !/[^*]/.test(pattern.slice(at.pattern))
}
