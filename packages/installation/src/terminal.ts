import { inspect } from 'node:util'

/**
 * What no terminal, log or XML file should meet: control and format characters (a name may turn the direction of a line),
 * line separators, lone surrogates, and the two code points that XML forbids.
 */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\uFFFE\uFFFF]/gu

const hexOf = (character: string): string => (character.codePointAt(0) ?? 0).toString(16)

/** Text on one line, with what is {@link unseen} written as `\u{1b}`: names come from other people's file systems. */
export const visibly = (text: string): string => text.replace(unseen, (character) => `\\u{${hexOf(character)}}`)

/** A JSON document with what is {@link unseen} in its strings as `\u` escapes, so that it parses back to the same. */
export const visibleJson = (document: string): string =>
  document.replace(unseen, (character) =>
    Array.from({ length: character.length }, (_, at) => {
      const unit = character.charCodeAt(at).toString(16)
      return `\\u${unit.padStart(4, '0')}`
    }).join(''),
  )

/** As bash, zsh and ksh read it. */
const escaped = (character: string): string => {
  const hex = hexOf(character)
  return hex.length > 4 ? `\\U${hex.padStart(8, '0')}` : `\\u${hex.padStart(4, '0')}`
}

/**
 * Quotes a word of a command that people paste into a shell, with unsafe characters as escapes. Libraries do not suffice:
 * shell-quote and shlex print control characters unescaped, shescape drops them.
 */
export const shellWord = (text: string): string => {
  if (/^[A-Za-z0-9_./,:@%+=-]+$/.test(text)) return text
  return text.search(unseen) >= 0
    ? `$'${text.replace(/[\\']/g, '\\$&').replace(unseen, escaped)}'`
    : `'${text.replaceAll("'", `'\\''`)}'`
}

/** What an unknown thrown value says of itself, in one line. */
export const causeOf = (thrown: unknown): string => {
  if (!(thrown instanceof Error)) return inspect(thrown, { breakLength: Number.POSITIVE_INFINITY })
  if (thrown.message !== '') return thrown.message
  return 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : thrown.name
}
