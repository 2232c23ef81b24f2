// Long work on the thread of the event loop, so that the loop is never late.

/** How long one work may run before it lets others run, in milliseconds. */
const sliceMs = 1

const waiting: Array<() => void> = []

/** One goes on in each tick of the event loop: however much there is to do, the loop is never late. */
const letNextOn = (): void => {
  waiting.shift()?.()
  if (waiting.length > 0) setImmediate(letNextOn)
}

/** Waits for the next tick, and for all who wait already. */
export const yieldNow = (): Promise<void> =>
  new Promise((resolve) => {
    waiting.push(resolve)
    if (waiting.length === 1) setImmediate(letNextOn)
  })

/** For work in pieces: called before each of them, it yields when a slice of time is used up. The first slice begins now. */
export const slices = (): (() => Promise<void>) => {
  let ends = performance.now() + sliceMs
  return async () => {
    if (performance.now() < ends) return
    await yieldNow()
    ends = performance.now() + sliceMs
  }
}

let end: Promise<void> | undefined

/** Waits for the end of this tick of the event loop; who was waiting for it already, for that of the next one. */
export const endOfTick = (): Promise<void> => {
  end ??= new Promise((resolve) => {
    setImmediate(() => {
      end = undefined
      resolve()
    })
  })
  return end
}

/** For many small pieces of work at once, none of them urgent: at most `most` of them run in a tick, first come first. */
export const fewPerTick = (most: number): ((piece: () => void) => void) => {
  const pieces: Array<() => void> = []
  const work = (): void => {
    for (const piece of pieces.splice(0, most)) piece()
    if (pieces.length > 0) setImmediate(work)
  }
  return (piece) => {
    if (pieces.push(piece) === 1) setImmediate(work)
  }
}

/** A queue: each work begins when the one before it has ended, whether or not that failed. */
export const workQueue = (): (<A>(work: () => Promise<A>) => Promise<A>) => {
  let before: Promise<unknown> = Promise.resolve()
  return (work) => {
    const done = before.then(work)
    before = done.catch(() => undefined)
    return done
  }
}
