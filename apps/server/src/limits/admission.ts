import pLimit from 'p-limit'

export interface AdmissionOptions {
  /** Maximum number of requests in work or queued, in one process. */
  readonly maxAdmitted: number
  /** Maximum number of requests in work at the same time. */
  readonly maxConcurrent: number
  /** A request in work for longer lets the next one of the queue begin, in milliseconds. */
  readonly longMs: number
  /** Called with the number of admitted requests when it changes. */
  readonly onChange: (admitted: number) => void
}

/** Limits the requests in flight. Under overload, refusing some at once keeps the responses to all others fast. */
export interface Admission {
  /** Returns false if the limit is reached: refuse the request. */
  readonly acquire: () => boolean
  /** Call it when the response is complete or its stream has begun. From then on only the client delays it. */
  readonly release: () => void
  /** Runs a few at the same time, in order. Many unfinished responses would take memory, and be ready no sooner. */
  readonly queue: (work: () => Promise<void>) => Promise<void>
}

export const admission = ({ maxAdmitted, maxConcurrent, longMs, onChange }: AdmissionOptions): Admission => {
  const limit = pLimit(maxConcurrent)
  let admitted = 0
  const add = (change: 1 | -1): void => {
    admitted += change
    onChange(admitted)
  }
  return {
    acquire: () => {
      if (admitted >= maxAdmitted) return false
      add(1)
      return true
    },
    release: () => add(-1),
    queue: (work) =>
      new Promise((resolve, reject) => {
        void limit(
          () =>
            new Promise<void>((releaseSlot) => {
              const timer = setTimeout(releaseSlot, longMs).unref()
              work()
                .then(resolve, reject)
                .finally(() => {
                  clearTimeout(timer)
                  releaseSlot()
                })
            }),
        )
      }),
  }
}

/** Limits the requests that read the same area or mount, so that a slow one leaves slots for all others. */
export class ReadingSlots {
  readonly #maxEach: number
  readonly #acquired = new Map<string, number>()

  constructor(maxEach: number) {
    this.#maxEach = maxEach
  }

  /** Returns the number of areas and mounts with an acquired slot. */
  get size(): number {
    return this.#acquired.size
  }

  /** Returns false if all slots of this area or mount are acquired: refuse the request. */
  acquire(areaOrMount: string): boolean {
    const count = this.#acquired.get(areaOrMount) ?? 0
    if (count >= this.#maxEach) return false
    this.#acquired.set(areaOrMount, count + 1)
    return true
  }

  release(areaOrMount: string): void {
    const count = this.#acquired.get(areaOrMount) ?? 0
    if (count > 1) this.#acquired.set(areaOrMount, count - 1)
    else this.#acquired.delete(areaOrMount)
  }
}
