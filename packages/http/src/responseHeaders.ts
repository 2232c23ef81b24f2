import type { Items } from '@canopy/domain'
import * as O from 'fp-ts/lib/Option.js'

export type Headers = Readonly<Record<string, string>>

export const jsonType = 'application/json; charset=utf-8'

/** The methods of every operation. */
export const allowedMethods = 'GET, HEAD, OPTIONS'

/** Headers for a response that no page of another origin may read, such as the metrics. */
export const privateResponse: Headers = {
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Robots-Tag': 'noindex',
}

/** Headers of every response from the service, errors included. Pages of any origin may read it. */
export const everyResponse: Headers = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'Age, ETag, Link, Retry-After, X-Request-Id',
  ...privateResponse,
}

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
