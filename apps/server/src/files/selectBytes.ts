import type { IncomingMessage } from 'node:http'
import type { Headers } from '@canopy/http'
import fresh from 'fresh'

/** The bytes of a file to send: from `start` up to, not including, `end`. */
export interface Selection {
  readonly status: 200 | 206
  readonly start: bigint
  readonly end: bigint
}

// Not by a library, because sizes above 2^53 need every digit.
const oneRange = /^bytes=[ \t]*(\d{0,20})-(\d{0,20})[ \t]*$/i

const parseRange = (header: string, size: bigint): Selection | 416 | undefined => {
  const [, first = '', last = ''] = oneRange.exec(header) ?? []
  if (first === '' && last === '') return undefined
  const start = first !== '' ? BigInt(first) : size - minimum(BigInt(last), size)
  const end = first === '' || last === '' ? size : minimum(BigInt(last) + 1n, size)
  // A range that ends before it begins is malformed.
  if (first !== '' && last !== '' && BigInt(last) < start) return undefined
  return start < end ? { status: 206, start, end } : 416
}

const minimum = (a: bigint, b: bigint): bigint => (a < b ? a : b)

/**
 * Selects the bytes that a request asks for. A range that is malformed or not alone is ignored, as RFC 9110, 14.2, allows. So is one
 * whose `If-Range` is a time: a file may change twice in a second, so only a tag can match.
 */
export const selectBytes = (
  { method, headers: request }: Pick<IncomingMessage, 'method' | 'headers'>,
  size: bigint,
  headers: Headers,
): Selection | 304 | 416 => {
  const { range, 'if-range': condition, 'if-none-match': tags, 'if-modified-since': since } = request
  // Without times if there are tags (RFC 9110, 13.2.2), and without `Cache-Control`, which is for caches.
  const conditions = tags === undefined ? { 'if-modified-since': since } : { 'if-none-match': tags }
  if (fresh(conditions, { etag: headers['ETag'], 'last-modified': headers['Last-Modified'] })) return 304
  const whole = { status: 200, start: 0n, end: size } as const
  if (method !== 'GET' || range === undefined || (condition !== undefined && condition !== headers['ETag']))
    return whole
  return parseRange(range, size) ?? whole
}
