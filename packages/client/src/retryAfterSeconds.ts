import type { Received } from './exchange.js'

/** The three forms of a date in HTTP, of RFC 9110, 5.6.7. `Date.parse` alone takes much else for one, such as `-5`. */
const date = /^[A-Z][a-z]{2,8},? .*[0-9]{2}:[0-9]{2}:[0-9]{2}( GMT| [0-9]{4})$/

/** What `Retry-After` asks for, in seconds from now; it may be written as a date. `undefined` when it cannot be read. */
export const retryAfterSeconds = ({ retryAfter: header }: Pick<Received, 'retryAfter'>): number | undefined => {
  if (header === null) return undefined
  // Blanks around a header are no part of it, and yet Node 20 gives the ones behind.
  const retryAfter = header.trim()
  if (/^[0-9]+$/.test(retryAfter)) return Math.min(Number(retryAfter), Number.MAX_SAFE_INTEGER)
  if (!date.test(retryAfter)) return undefined
  const at = Date.parse(retryAfter.endsWith(' GMT') ? retryAfter : `${retryAfter} GMT`)
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - Date.now()) / 1000))
}
