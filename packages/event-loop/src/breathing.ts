/** What may be done at a stretch, in milliseconds. */
const sliceMs = 1

const waiting: Array<() => void> = []

/** One goes on in each round of the event loop, whoever it is: however much is to be done, the loop is never late. */
const letOneOn = (): void => {
  waiting.shift()?.()
  if (waiting.length > 0) setImmediate(letOneOn)
}

/** Waits until the loop has come round, and everyone before us has had their slice. */
export const turn = (): Promise<void> =>
  new Promise((resolve) => {
    waiting.push(resolve)
    if (waiting.length === 1) setImmediate(letOneOn)
  })

/**
 * For work in pieces: called before each of them, it lets other work in when a slice of time is used up. All who breathe
 * take turns. The first slice begins now.
 */
export const breathing = (): (() => Promise<void>) => {
  let ends = performance.now() + sliceMs
  return async () => {
    if (performance.now() < ends) return
    await turn()
    ends = performance.now() + sliceMs
  }
}
