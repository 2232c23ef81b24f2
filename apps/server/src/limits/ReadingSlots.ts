/** Limits the requests that read the same area or mount, so that a slow one leaves slots for all others. */
export class ReadingSlots {
  readonly #maxEach: number
  readonly #acquired = new Map<string, number>()

  constructor(maxEach: number) {
    this.#maxEach = maxEach
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
