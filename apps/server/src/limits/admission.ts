import pLimit from 'p-limit'

export interface AdmissionOptions {
  /** Requests that are worked on or queued, in one process. */
  readonly most: number
  /** How many of them are worked on at once. */
  readonly atOnce: number
  /** A request that takes longer gives its place in the queue to the next one, in milliseconds. */
  readonly longMs: number
  /** Called with their number when it changes. */
  readonly onChange: (inFlight: number) => void
}

/** Bounds the work in flight: an overloaded server that refuses at once stays fast for those that it serves. */
interface Admission {
  /** False when there are too many: refuse the request. */
  readonly enter: () => boolean
  /** The answer is made, or its stream has begun: from then on it waits for its client. */
  readonly leave: () => void
  /** Runs a few at once, first come first served: many half-made answers take memory, and none is ready sooner. */
  readonly queue: (work: () => Promise<void>) => Promise<void>
}

/** Counts the requests that read, by what they read: one area or one mount that is slow leaves places for all others. */
export interface ReadingPlaces {
  /** False when `what` has all the places that it may have: refuse the request. */
  readonly enter: (what: string) => boolean
  readonly leave: (what: string) => void
}

export const readingPlaces = (mostEach: number, taken = new Map<string, number>()): ReadingPlaces => {
  return {
    enter: (what) => {
      const count = taken.get(what) ?? 0
      if (count >= mostEach) return false
      taken.set(what, count + 1)
      return true
    },
    leave: (what) => {
      const count = taken.get(what) ?? 0
      if (count > 1) taken.set(what, count - 1)
      else taken.delete(what)
    },
  }
}

export const admission = ({ most, atOnce, longMs, onChange }: AdmissionOptions): Admission => {
  const limit = pLimit(atOnce)
  let inFlight = 0
  const count = (change: 1 | -1): void => {
    inFlight += change
    onChange(inFlight)
  }
  return {
    enter: () => {
      if (inFlight >= most) return false
      count(1)
      return true
    },
    leave: () => count(-1),
    queue: (work) =>
      new Promise((resolve, reject) => {
        void limit(
          () =>
            new Promise<void>((giveBack) => {
              const long = setTimeout(giveBack, longMs).unref()
              work()
                .then(resolve, reject)
                .finally(() => {
                  clearTimeout(long)
                  giveBack()
                })
            }),
        )
      }),
  }
}
