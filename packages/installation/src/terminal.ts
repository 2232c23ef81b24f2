import { inspect } from 'node:util'

/**
 * Characters that may not reach a terminal, a log or an XML file: control and format characters (one can turn the direction of
 * a line), line separators, lone surrogates, and the two code points that XML forbids.
 */
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\uFFFE\uFFFF]/gu

const hexOf = (character: string): string => (character.codePointAt(0) ?? 0).toString(16)

/** Escapes {@link unprintable} characters as `\u{1b}`, because names come from other people's file systems. */
export const visibly = (text: string): string => text.replace(unprintable, (character) => `\\u{${hexOf(character)}}`)

/** Escapes {@link unprintable} characters in the strings of a JSON document. It still parses to the same value. */
export const visibleJson = (document: string): string =>
  document.replace(unprintable, (character) =>
    Array.from({ length: character.length }, (_, index) => {
      const unit = character.charCodeAt(index).toString(16)
      return `\\u${unit.padStart(4, '0')}`
    }).join(''),
  )

/** Returns the escape of a character in bash, zsh and ksh. */
const shellEscape = (character: string): string => {
  const hex = hexOf(character)
  return hex.length > 4 ? `\\U${hex.padStart(8, '0')}` : `\\u${hex.padStart(4, '0')}`
}

/**
 * Quotes a word of a command that people paste into a shell, with unsafe characters as escapes. Libraries do not suffice:
 * shell-quote and shlex print control characters unescaped, shescape drops them.
 */
export const shellWord = (text: string): string => {
  if (/^[A-Za-z0-9_./,:@%+=-]+$/.test(text)) return text
  return text.search(unprintable) >= 0
    ? `$'${text.replace(/[\\']/g, '\\$&').replace(unprintable, shellEscape)}'`
    : `'${text.replaceAll("'", `'\\''`)}'`
}

/** Describes any thrown value in one line. */
export const reasonOf = (thrown: unknown): string => {
  if (!(thrown instanceof Error)) return inspect(thrown, { breakLength: Number.POSITIVE_INFINITY })
  if (thrown.message !== '') return thrown.message
  return 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : thrown.name
}
