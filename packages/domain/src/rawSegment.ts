import * as O from 'fp-ts/lib/Option.js'

/** One segment of a raw request target, percent-decoded once, strictly: `none` when an escape is malformed or not UTF-8. */
export const decodeRawSegment = (raw: string): O.Option<string> => O.tryCatch(() => decodeURIComponent(raw))
