/** How long work may occupy the thread before it yields. */
const sliceMs = 1

const waiting: Array<() => void> = []

/** Resumes one waiter in each tick, so that the loop stays responsive however many wait. */
const resumeNext = (): void => {
  waiting.shift()?.()
  if (waiting.length > 0) setImmediate(resumeNext)
}

/** Resolves in a later tick, after all earlier waiters. */
export const yieldToEventLoop = (): Promise<void> =>
  new Promise((resolve) => {
    waiting.push(resolve)
    if (waiting.length === 1) setImmediate(resumeNext)
  })

/**
 * Returns a function to await between the steps of long work. It yields when the time slice is used up. The first slice begins
 * now.
 */
export const timeSlices = (): (() => Promise<void>) => {
  let end = performance.now() + sliceMs
  return async () => {
    if (performance.now() < end) return
    await yieldToEventLoop()
    end = performance.now() + sliceMs
  }
}

/** True while the waiters of `endOfTick` run: `b` in the drawing below. */
let isBetweenImmediates = false
let end: Promise<void> | undefined

/** Resolves at the end of the tick. Later in the same tick, a call waits for the end of the next one. */
export const endOfTick = (): Promise<void> => {
  end ??= new Promise((resolve) => {
    setImmediate(() => {
      end = undefined
      isBetweenImmediates = true
      resolve()
    })
    setImmediate(() => {
      isBetweenImmediates = false
    })
  })
  return end
}

/**
 * Returns a function whose callers in one tick share one run. It begins at the end of the tick, so after all of these calls, and
 * its result is as new as each of them requires.
 */
export const oncePerTick = <A>(run: () => Promise<A>): (() => Promise<A>) => {
  let next: Promise<A> | undefined
  return () => {
    next ??= endOfTick().then(() => {
      next = undefined
      return run()
    })
    return next
  }
}

const endOfNextTick = oncePerTick(endOfTick)

/**
 * Resolves after the event loop has polled once more, so everything that the kernel had queued before the call is delivered.
 *
 * Invariant: a whole poll lies between the call and its resolution. The poll that runs at the call does not count, because it
 * may already have read the kernel's queue. A tick has two phases: `poll` delivers events, `check` runs immediates.
 *
 *     tick 1        tick 2
 *     poll check    poll check
 *      a     b               resolved
 *
 * - A call at `a`, before the immediates of tick 1, waits for the ends of ticks 1 and 2.
 * - A call at `b`, among the immediates of tick 1, waits for the end of tick 2 alone.
 */
export const afterNextPoll = (): Promise<void> => (isBetweenImmediates ? endOfTick() : endOfNextTick())
