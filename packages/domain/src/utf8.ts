const bytesOf = (codePoint: number): number =>
  codePoint < 0x80 ? 1 : codePoint < 0x800 ? 2 : codePoint < 0x10000 ? 3 : 4

/** How many bytes well-formed text takes in UTF-8. */
export const utf8Length = (text: string): number =>
  /^[\0-\x7f]*$/.test(text)
    ? text.length
    : Array.from(text).reduce((bytes, character) => bytes + bytesOf(character.codePointAt(0) ?? 0), 0)

const firstDifference = (x: string, y: string, at: number): number =>
  at < x.length && x.charCodeAt(at) === y.charCodeAt(at) ? firstDifference(x, y, at + 1) : at

const isSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdfff

/** UTF-16 puts surrogates below U+E000 to U+FFFF; UTF-8 puts what they stand for above. */
const rank = (unit: number): number => (isSurrogate(unit) ? unit + 0x10000 : unit)

/** Compares well-formed text by its bytes in UTF-8. */
export const compareUtf8 = (x: string, y: string): -1 | 0 | 1 => {
  if (x === y) return 0
  const at = firstDifference(x, y, 0)
  if (at === x.length) return -1
  if (at === y.length) return 1
  return rank(x.charCodeAt(at)) < rank(y.charCodeAt(at)) ? -1 : 1
}
