const escaped = (character: string): string => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`

/**
 * Text on one line, with what no terminal, log or XML file should meet written as `\u{1b}`: control and format
 * characters, line separators, lone surrogates, and the two code points that XML forbids.
 */
export const visibly = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\uFFFE\uFFFF]/gu, escaped)
