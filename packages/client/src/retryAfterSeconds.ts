import type { Received } from './exchange.js'

/** What `Retry-After` asks for, in seconds from now; it may be written as a date. */
export const retryAfterSeconds = ({ retryAfter }: Pick<Received, 'retryAfter'>): number | undefined => {
  if (retryAfter === null) return undefined
  if (/^[0-9]{1,9}$/.test(retryAfter)) return Number(retryAfter)
  const at = Date.parse(retryAfter)
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - Date.now()) / 1000))
}
