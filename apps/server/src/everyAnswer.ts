import type { Headers } from './Answer.js'

/** Headers of every answer, the refusals included. */
export const everyAnswer: Headers = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'ETag, Link, Retry-After, X-Request-Id',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Robots-Tag': 'noindex',
}

export const jsonType = 'application/json; charset=utf-8'
