/**
 * Returns names for the entries of one directory that no extractor takes for a path, a drive or each other. `\` and `:` are
 * percent-encoded, and so are as many characters as keep apart two names that differ only in case or Unicode form. `%` before two
 * hexadecimal digits is encoded too, so that decoding gives the stored name.
 */
export const archiveNames = (): ((name: string) => string) => {
  const taken = new Set<string>()
  return (name) => {
    const characters = Array.from(name)
    for (let encoded = 0; ; encoded += 1) {
      const rest = characters.slice(encoded).join('').replace(hostile, percentEncoded)
      const candidate = characters.slice(0, encoded).map(percentEncoded).join('') + rest
      const folded = candidate.normalize('NFC').toLowerCase()
      if (taken.has(folded) && encoded < characters.length) continue
      taken.add(folded)
      return candidate
    }
  }
}

const hostile = /[\\:]|%(?=[0-9a-f]{2})/gi

const percentEncoded = (character: string): string =>
  Array.from(
    new TextEncoder().encode(character),
    (byte) => `%${byte.toString(16).padStart(2, '0').toUpperCase()}`,
  ).join('')
