const escaped = (character: string): string =>
  character === '\\' ? '\\\\' : `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`

/** Bytes, each a character (latin1), as printable ASCII: `caf\xe9`. Two names are never written alike. */
export const escapedName = (bytes: string): string => bytes.replace(/[^\x20-\x5b\x5d-\x7e]/g, escaped)
