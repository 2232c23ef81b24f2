import type { Received } from './exchange.js'

/** The three forms of a date in HTTP, of RFC 9110, 5.6.7. `Date.parse` alone takes much else for one, such as `-5`. */
const date = /^[A-Z][a-z]{2,8},? .*[0-9]{2}:[0-9]{2}:[0-9]{2}( GMT| [0-9]{4})$/

/** RFC 850 writes two digits of the year: it is the one that is at most 50 years ahead (RFC 9110, 5.6.7). */
const withWholeYear = (text: string, thisYear: number): string =>
  text.replace(/-([0-9]{2}) /, (_, digits: string) => {
    const first = thisYear - 49
    return `-${first + ((Number(digits) + 10_000 - first) % 100)} `
  })

/** What `Retry-After` asks for, in seconds from now; it may be written as a date. `undefined` when it cannot be read. */
export const retryAfterSeconds = ({ retryAfter: header }: Pick<Received, 'retryAfter'>): number | undefined => {
  if (header === null) return undefined
  // Blanks around a header are no part of it, and yet Node 20 gives the ones behind.
  const retryAfter = header.trim()
  if (/^[0-9]+$/.test(retryAfter)) return Math.min(Number(retryAfter), Number.MAX_SAFE_INTEGER)
  if (!date.test(retryAfter)) return undefined
  const now = new Date()
  const whole = withWholeYear(retryAfter, now.getUTCFullYear())
  const at = Date.parse(whole.endsWith(' GMT') ? whole : `${whole} GMT`)
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - now.getTime()) / 1000))
}
