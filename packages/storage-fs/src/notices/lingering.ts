import { aFewARound } from '@canopy/event-loop'
import { LRUCache } from 'lru-cache'

export interface Lingering {
  /** Ends something later; sooner if there is too much of it. */
  readonly endLater: (key: string, end: () => void) => void
  /** Ends now what lingers by this key. */
  readonly endNow: (key: string) => void
}

/** So many are ended in one round: a watch takes some 40 microseconds. */
const mostInARound = 64

/**
 * For watches that are given up, and soon begun again. To begin one, the kernel walks all names that it remembers of the
 * directory (11 ms for 100,000), but not where another one still stands (0.01 ms). And what is queued is still counted.
 */
export const lingering = (milliseconds = 10_000, most = 256): Lingering => {
  // What is queued for a watch when it ends is never told, nor counted: only in the next check phase is all of it read.
  const afterNotices = aFewARound(mostInARound)
  const ends = new LRUCache<string, () => void>({
    max: most,
    ttl: milliseconds,
    ttlAutopurge: true,
    dispose: (end, _, reason) => (reason === 'evict' || reason === 'expire' ? afterNotices(end) : end()),
  })
  return { endLater: (key, end) => void ends.set(key, end), endNow: (key) => void ends.delete(key) }
}
