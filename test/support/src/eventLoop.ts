/** Keeps this thread busy, so that whatever else waits for it waits so long. */
export const busyFor = (milliseconds: number): void => {
  const end = performance.now() + milliseconds
  while (performance.now() < end);
}

export interface Ticks {
  /** How many ticks of the event loop have begun since the count began. */
  readonly count: () => number
  readonly stop: () => void
}

/** Whether long work lets others in: what is done in different ticks has others in between. */
export const countTicks = (): Ticks => {
  let count = 0
  const begin = (): void => {
    count += 1
    next = setImmediate(begin)
  }
  let next = setImmediate(begin)
  return { count: () => count, stop: () => clearImmediate(next) }
}
