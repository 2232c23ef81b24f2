/**
 * The reading slot of one request.
 *
 *     unused    its first storage call                  held, or refused: the request is `overloaded`
 *     held      its operation ends                      released: a stream goes on to call the storage
 *     unused    its operation ends without such a call  refused: nothing would release the slot of a later call
 */
export type RequestSlot =
  | { readonly is: 'unused' | 'refused' | 'released' }
  | { readonly is: 'held'; readonly areaOrMount: string }

/** Limits the requests that read the same area or mount, so that a slow one leaves slots for all others. */
export class ReadingSlots {
  readonly #maxEach: number
  readonly #held = new Map<string, number>()

  constructor(maxEach: number) {
    this.#maxEach = maxEach
  }

  /** Returns a held slot; a refused one if all slots of this area or mount are held. */
  acquire(areaOrMount: string): RequestSlot {
    const count = this.#held.get(areaOrMount) ?? 0
    if (count >= this.#maxEach) return { is: 'refused' }
    this.#held.set(areaOrMount, count + 1)
    return { is: 'held', areaOrMount }
  }

  /** Returns the slot of a request after the end of its operation. */
  end(slot: RequestSlot): RequestSlot {
    if (slot.is !== 'held') return { is: 'refused' }
    const count = this.#held.get(slot.areaOrMount) ?? 0
    if (count > 1) this.#held.set(slot.areaOrMount, count - 1)
    else this.#held.delete(slot.areaOrMount)
    return { is: 'released' }
  }
}
