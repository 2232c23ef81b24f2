import * as N from 'fp-ts/lib/number.js'

/** How many bytes well-formed text takes in UTF-8: of what JavaScript counts, each beyond U+007F takes one more, or two. */
export const utf8Length = (text: string): number =>
  (text.match(/[^\0-\x7f]/gu) ?? []).reduce((bytes, character) => bytes + (character < '\u0800' ? 1 : 2), text.length)

const firstDifference = (x: string, y: string, at: number): number =>
  x.charCodeAt(at) === y.charCodeAt(at) ? firstDifference(x, y, at + 1) : at

/** Beyond the end nothing follows, and nothing comes first. */
const codePointAt = (text: string, at: number): number => text.codePointAt(at) ?? -1

/** Compares well-formed text by its bytes in UTF-8: they are in the order of code points, JavaScript's own are not. */
export const compareUtf8 = (x: string, y: string): -1 | 0 | 1 => {
  const at = firstDifference(x, y, 0)
  return N.Ord.compare(codePointAt(x, at), codePointAt(y, at))
}
