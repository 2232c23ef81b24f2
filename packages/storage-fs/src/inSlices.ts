import { setImmediate } from 'node:timers/promises'

const sliceMs = 2

/** Maps on this thread, and lets other work in whenever a slice of time is used up. */
export const inSlices = async <A, B>(as: ReadonlyArray<A>, f: (a: A) => B): Promise<ReadonlyArray<B>> => {
  const bs: Array<B> = []
  let sliceEnds = performance.now() + sliceMs
  for (const a of as) {
    if (performance.now() >= sliceEnds) {
      await setImmediate()
      sliceEnds = performance.now() + sliceMs
    }
    bs.push(f(a))
  }
  return bs
}
