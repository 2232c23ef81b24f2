const escaped = (character: string): string =>
  character === '\\' || character === "'"
    ? `\\${character}`
    : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/**
 * Text as a shell reads it back, for commands that are shown to be pasted. What a terminal would act on is spelled as bash,
 * zsh and ksh read it.
 */
export const shellWord = (text: string): string =>
  /^[A-Za-z0-9_./,:@%+=-]+$/.test(text)
    ? text
    : /\p{Cc}/u.test(text)
      ? `$'${text.replace(/[\p{Cc}\\']/gu, escaped)}'`
      : `'${text.replaceAll("'", `'\\''`)}'`
