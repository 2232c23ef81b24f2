/** Blocks this thread. */
export const busyFor = (milliseconds: number): void => {
  const end = performance.now() + milliseconds
  while (performance.now() < end);
}

export interface Ticks {
  readonly count: () => number
  readonly stop: () => void
}

/** Counts ticks of the event loop. */
export const countTicks = (): Ticks => {
  let count = 0
  const begin = (): void => {
    count += 1
    next = setImmediate(begin)
  }
  let next = setImmediate(begin)
  return { count: () => count, stop: () => clearImmediate(next) }
}
