import type { Items } from '@canopy/domain'
import * as O from 'fp-ts/lib/Option.js'

export type Headers = Readonly<Record<string, string>>

export const jsonType = 'application/json; charset=utf-8'

/** A tree as lines. Its encoding is always UTF-8. */
export const linesType = 'application/x-ndjson'

/** The methods of every operation. */
export const allowedMethods = 'GET, HEAD, OPTIONS'

/** Headers of every response. Without those of {@link openToAllOrigins}, pages of other origins cannot read it. */
export const commonHeaders: Headers = {
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Robots-Tag': 'noindex',
}

/** Lets pages of any origin read a response. */
export const openToAllOrigins: Headers = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'Age, ETag, Link, Retry-After, X-Request-Id',
}

/** Keeps a response from pages of other origins. */
export const closedToOtherOrigins: Headers = { 'Cross-Origin-Resource-Policy': 'same-origin' }

/** Headers of every response from the service, errors included, which pages of any origin may read. */
export const everyResponse: Headers = { ...openToAllOrigins, ...commonHeaders }

/** Headers of the response to OPTIONS, which browsers send before they read across origins. Its status is 204. */
export const preflight: Headers = {
  Allow: allowedMethods,
  'Access-Control-Allow-Methods': allowedMethods,
  'Access-Control-Allow-Headers': '*',
  'Access-Control-Max-Age': '86400',
}

/** Returns the `Link` to the page after `lastName`. Relative to the request's own target, so that no header repeats a token. */
export const linkToNextPage = ({ limit }: Items.Bounds, lastName: string): Headers => {
  const sameLimit = O.isSome(limit) ? `limit=${limit.value}&` : ''
  return { Link: `<?${sameLimit}after=${encodeURIComponent(lastName)}>; rel="next"` }
}
