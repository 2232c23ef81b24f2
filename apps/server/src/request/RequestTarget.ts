import * as E from 'fp-ts/lib/Either.js'
import { type BadRequest, badRequest } from '../Refusal.js'

/** The request target as it came in, split but not decoded. */
export interface RequestTarget {
  /** Up to the `?`. ASCII: Node refuses other bytes in a target. */
  readonly path: string
  /** After the `?`; empty when there is none. */
  readonly query: string
}

/** Refuses what a proxy and we might read differently: a whole URL as target, and a raw `#`. */
export const parse = (url: string): E.Either<BadRequest, RequestTarget> => {
  if (!url.startsWith('/') || url.includes('#')) return E.left(badRequest)
  const end = url.includes('?') ? url.indexOf('?') : url.length
  return E.right({ path: url.slice(0, end), query: url.slice(end + 1) })
}
