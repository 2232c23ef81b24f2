// How work shares the thread that answers requests.
import type { Signal } from '@canopy/domain'

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

/** True between the two immediates of `endOfTick`, while those run who waited for it. */
let isEnding = false
let end: Promise<void> | undefined
let afterPoll: Promise<void> | undefined

/** Waits for the end of this tick of the event loop; who was waiting for it already, for that of the next one. */
export const endOfTick = (): Promise<void> => {
  end ??= new Promise((resolve) => {
    setImmediate(() => {
      end = undefined
      isEnding = true
      resolve()
    })
    setImmediate(() => {
      isEnding = false
    })
  })
  return end
}

/**
 * Waits until the event loop has polled once more: whatever the kernel had queued before the call has been delivered. Those
 * who wait for the same poll share one promise.
 *
 * Between our two immediates this tick has polled already: the end of the next one suffices. Anywhere else this tick may be
 * polling now, and its end may come before what was queued is read: it takes two.
 */
export const polled = (): Promise<void> => {
  if (isEnding) return endOfTick()
  afterPoll ??= endOfTick().then(() => {
    afterPoll = undefined
    return endOfTick()
  })
  return afterPoll
}

/** Work for a key: it answers, and later comes to its end. */
export interface Work<A> {
  readonly answer: Promise<A>
  readonly end: Promise<unknown>
}

/** A work that has begun or will begin, and how many wait for its answer. */
interface Flight<A> {
  readonly answer: Promise<A>
  readonly abandoned: AbortController
  waiters: number
}

const abandonedBefore = new Error('no one waited any more when the work would have begun')

/** One more waits, until the answer or their own signal. The work is abandoned when no one waits any more. */
const join = async <A>(flight: Flight<A>, waiting: Signal | undefined): Promise<A> => {
  flight.waiters += 1
  const leave = (): void => {
    flight.waiters -= 1
    if (flight.waiters === 0) flight.abandoned.abort(abandonedBefore)
  }
  if (waiting?.aborted === true) leave()
  else waiting?.addEventListener('abort', leave)
  try {
    return await flight.answer
  } finally {
    waiting?.removeEventListener('abort', leave)
  }
}

/**
 * For each key one work at a time, for all who asked before it began: what began earlier may have missed a change that they
 * must see. Who asks while one runs waits for its end; `known` is asked then whether another is needed. The signal that a work
 * gets says that no one waits for its answer any more; the one that an asker gives, that this asker does not.
 */
export const singleFlight = <A>(known: (key: string) => A | undefined = () => undefined) => {
  const running = new Map<string, Promise<unknown>>()
  const next = new Map<string, Flight<A>>()
  return (key: string, work: (abandoned: AbortSignal) => Work<A>, waiting?: Signal): Promise<A> => {
    const found = next.get(key)
    if (found !== undefined && !found.abandoned.signal.aborted) return join(found, waiting)
    const abandoned = new AbortController()
    const begin = async (): Promise<A> => {
      await running.get(key)
      if (next.get(key) === flight) next.delete(key)
      if (abandoned.signal.aborted) throw abandonedBefore
      const isKnown = known(key)
      if (isKnown !== undefined) return isKnown
      const { answer, end } = work(abandoned.signal)
      const forget = (): void => void running.delete(key)
      running.set(key, end.then(forget, forget))
      return answer
    }
    const flight: Flight<A> = { answer: begin(), abandoned, waiters: 0 }
    next.set(key, flight)
    return join(flight, waiting)
  }
}
