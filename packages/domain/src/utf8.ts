import * as N from 'fp-ts/lib/number.js'

/** How many bytes well-formed text takes in UTF-8: of what JavaScript counts, each beyond U+007F takes one more, or two. */
export const utf8Length = (text: string): number =>
  (text.match(/[^\0-\x7f]/gu) ?? []).reduce((bytes, character) => bytes + (character < '\u0800' ? 1 : 2), text.length)

/** By halves: the length of what both begin with, of which `low` is known to be alike and `high` to be enough. */
const alikeLength = (x: string, y: string, low: number, high: number): number => {
  if (low === high) return low
  const middle = Math.ceil((low + high) / 2)
  return x.slice(low, middle) === y.slice(low, middle)
    ? alikeLength(x, y, middle, high)
    : alikeLength(x, y, low, middle - 1)
}

/** Beyond the end nothing follows, and nothing comes first. */
const codePointAt = (text: string, at: number): number => text.codePointAt(at) ?? -1

/** Compares well-formed text by its bytes in UTF-8: they are in the order of code points, JavaScript's own are not. */
export const compareUtf8 = (x: string, y: string): -1 | 0 | 1 => {
  const at = alikeLength(x, y, 0, x.length)
  return N.Ord.compare(codePointAt(x, at), codePointAt(y, at))
}
