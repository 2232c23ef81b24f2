import * as O from 'fp-ts/lib/Option.js'

const decoded = (text: string): string => {
  const once = O.tryCatch(() => decodeURIComponent(text))
  return O.isSome(once) && once.value !== text ? decoded(once.value) : text
}

const looksSecret = (segment: string): boolean => /cnp_/i.test(decoded(segment))

/**
 * A path as a log may show it: a segment that looks like a token, in any spelling, is replaced. Segments that stand
 * where a secret belongs are not passed to this function at all.
 */
export const redactPath = (path: string): string =>
  path
    .split('/')
    .map((segment) => (looksSecret(segment) ? '[token]' : segment))
    .join('/')
