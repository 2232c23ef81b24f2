/** Blocks this thread. */
export const busyFor = (milliseconds: number): void => {
  const end = performance.now() + milliseconds
  while (performance.now() < end);
}

/** Counts ticks of the event loop. */
export const countTicks = () => {
  let count = 0
  const begin = (): void => {
    count += 1
    next = setImmediate(begin)
  }
  let next = setImmediate(begin)
  return { count: () => count, stop: () => clearImmediate(next) }
}
