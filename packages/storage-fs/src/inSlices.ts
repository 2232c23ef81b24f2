const sliceMs = 1

/** One slice of a piece of work; true when it was the last. */
type Slice = () => boolean

const waiting: Array<Slice> = []

/** One slice in each round of the event loop, whoever's it is: however much is to be done, the loop is never late. */
const runOne = (): void => {
  const slice = waiting.shift()
  if (slice === undefined) return
  if (!slice()) waiting.push(slice)
  if (waiting.length > 0) setImmediate(runOne)
}

const enqueue = (slice: Slice): void => {
  waiting.push(slice)
  if (waiting.length === 1) setImmediate(runOne)
}

/** How many pieces of work are under way in slices. */
export const inTurn = (): number => waiting.length

/** Maps on this thread, and lets other work in whenever a slice of time is used up. All who map take turns. */
export const inSlices = <A, B>(as: ReadonlyArray<A>, f: (a: A) => B): Promise<ReadonlyArray<B>> =>
  new Promise((resolve, reject) => {
    const bs: Array<B> = []
    const slice = (): boolean => {
      const ends = performance.now() + sliceMs
      try {
        for (let index = bs.length; index < as.length; index += 1) {
          if (performance.now() >= ends) return false
          bs.push(f(as[index] as A))
        }
        resolve(bs)
      } catch (thrown) {
        reject(thrown)
      }
      return true
    }
    enqueue(slice)
  })
