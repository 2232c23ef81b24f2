import type { Headers } from './Answer.js'

/** Headers of every answer that is for one reader only, as the metrics are. */
export const notForPages: Headers = {
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Robots-Tag': 'noindex',
}

/** Headers of every answer of the service, the refusals included: pages of any origin may read it. */
export const everyAnswer: Headers = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'ETag, Link, Retry-After, X-Request-Id',
  ...notForPages,
}

export const jsonType = 'application/json; charset=utf-8'
