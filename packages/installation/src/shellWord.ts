import { unseen } from './visibly.js'

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
