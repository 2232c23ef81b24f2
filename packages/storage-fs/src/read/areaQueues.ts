import pLimit, { type LimitFunction } from 'p-limit'

/** Limits the concurrent work for each area, so that a huge area, or one on a hanging disk, leaves capacity for the others. */
export const areaQueues = (concurrency: number, byArea = new Map<string, LimitFunction>()) => {
  return async <A>(area: string, work: () => Promise<A>): Promise<A> => {
    const queue = byArea.get(area) ?? pLimit(concurrency)
    byArea.set(area, queue)
    try {
      return await queue(work)
    } finally {
      if (queue.activeCount + queue.pendingCount === 0) byArea.delete(area)
    }
  }
}
