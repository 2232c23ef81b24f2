import { inspect } from 'node:util'

const codePoint = (character: string): string => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`

/**
 * What no terminal, log or XML file should meet: control and format characters (a name may turn the direction of a line),
 * line separators, lone surrogates, and the two code points that XML forbids.
 */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\uFFFE\uFFFF]/gu

/** Text on one line, with what is {@link unseen} written as `\u{1b}`: names come from other people's file systems. */
export const visibly = (text: string): string => text.replace(unseen, codePoint)

/** As bash, zsh and ksh read it. */
const escaped = (character: string): string => {
  const code = character.codePointAt(0) ?? 0
  return code > 0xffff ? `\\U${code.toString(16).padStart(8, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`
}

const quotable = (text: string): string => text.replace(/[\\']/g, (character) => `\\${character}`)

/**
 * Text as a shell reads it back, for commands that are shown to be pasted. What a terminal would act on, or not show, is
 * spelled out.
 */
export const shellWord = (text: string): string =>
  /^[A-Za-z0-9_./,:@%+=-]+$/.test(text)
    ? text
    : text.search(unseen) >= 0
      ? `$'${quotable(text).replace(unseen, escaped)}'`
      : `'${text.replaceAll("'", `'\\''`)}'`

/** What is wrong and, where that is known, what to do, as one text for people. */
export const advised = (message: string, suggestion: string | undefined): string =>
  suggestion === undefined || suggestion === ''
    ? message
    : `${message}${/^[A-Z]/.test(suggestion) ? '.' : suggestion.startsWith('(') ? '' : ':'} ${suggestion}`

const codeOf = (error: Error): string => ('code' in error && typeof error.code === 'string' ? error.code : error.name)

/** What an unknown thrown value says of itself, in one line. */
export const causeOf = (thrown: unknown): string =>
  thrown instanceof Error
    ? thrown.message === ''
      ? codeOf(thrown)
      : thrown.message
    : inspect(thrown, { breakLength: Number.POSITIVE_INFINITY })
