export interface Rounds {
  /** How many rounds of the event loop have begun since it was asked to count. */
  readonly count: () => number
  readonly stop: () => void
}

/** Tells whether long work lets others in: what is done in different rounds has others in between. */
export const countRounds = (): Rounds => {
  let count = 0
  const begin = (): void => {
    count += 1
    next = setImmediate(begin)
  }
  let next = setImmediate(begin)
  return { count: () => count, stop: () => clearImmediate(next) }
}
