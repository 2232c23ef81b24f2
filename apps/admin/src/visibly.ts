const escaped = (character: string): string => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`

/** Names come from other people's file systems: an escape sequence in one must not reach the operator's terminal. */
export const visibly = (text: string): string => text.replace(/\p{Cc}/gu, escaped)
