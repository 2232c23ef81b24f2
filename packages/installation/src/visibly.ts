const escaped = (character: string): string => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`

/**
 * What no terminal, log or XML file should meet: control and format characters (a name may turn the direction of a line),
 * line separators, lone surrogates, and the two code points that XML forbids.
 */
export const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\uFFFE\uFFFF]/gu

/** Text on one line, with what is {@link unseen} written as `\u{1b}`: names come from other people's file systems. */
export const visibly = (text: string): string => text.replace(unseen, escaped)
