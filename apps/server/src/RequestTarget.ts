import * as E from 'fp-ts/lib/Either.js'
import { type BadRequest, badRequest } from './Refusal.js'

/** The request target as it came in, split but not decoded. */
export interface RequestTarget {
  /** Up to the `?`; bytes outside ASCII written as escapes, since Node hands them over one by one. */
  readonly path: string
  /** After the `?`; empty when there is none. */
  readonly query: string
}

const escapeBytes = (text: string): string =>
  text.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`)

/** Refuses what a proxy and we might read differently: a whole URL as target, and a raw `#`. */
export const parse = (url: string): E.Either<BadRequest, RequestTarget> => {
  if (!url.startsWith('/') || url.includes('#')) return E.left(badRequest)
  const [path = '', ...query] = escapeBytes(url).split('?')
  return E.right({ path, query: query.join('?') })
}
