const octal = (byte: number): string => `\\${byte.toString(8).padStart(3, '0')}`

const escapeByte = (byte: number): string => {
  const character = String.fromCharCode(byte)
  return /[\w./ -]/.test(character) ? character : octal(byte)
}

/** Quotes a path for a shell. Characters that people cannot see become escapes, which no terminal obeys. */
export const quoted = (path: string): string => {
  if (/^[\w./-]+$/.test(path)) return path
  const isVisible = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]+$/u.test(path)
  if (isVisible) return `'${path.replaceAll("'", `'\\''`)}'`
  return `$'${[...new TextEncoder().encode(path)].map(escapeByte).join('')}'`
}
