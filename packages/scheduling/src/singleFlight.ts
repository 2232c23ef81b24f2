/** Reports that a caller has left. An `AbortSignal` is one. */
export interface Signal {
  readonly aborted: boolean
  readonly addEventListener: (type: 'abort', listener: () => void) => void
  readonly removeEventListener: (type: 'abort', listener: () => void) => void
}

/** A call that answers first and ends later. */
export interface Work<A> {
  readonly answer: Promise<A>
  readonly end: Promise<unknown>
}

interface Flight<A> {
  readonly answer: Promise<A>
  readonly cancelled: AbortController
  callers: number
}

const cancelledBefore = new Error('every caller had left before the call began')

/** Waits for the answer. The flight is cancelled when the signal of its last caller aborts. */
const join = async <A>(flight: Flight<A>, signal: Signal | undefined): Promise<A> => {
  flight.callers += 1
  const leave = (): void => {
    flight.callers -= 1
    if (flight.callers === 0) flight.cancelled.abort(cancelledBefore)
  }
  if (signal?.aborted === true) leave()
  else signal?.addEventListener('abort', leave)
  try {
    return await flight.answer
  } finally {
    signal?.removeEventListener('abort', leave)
  }
}

/**
 * One call at a time for each key. Callers share a call only if they came before it began, because a call that began earlier
 * may have missed a change that they must see. Later callers share the next call, which begins when the running one has
 * ended. A call is cancelled when its last caller leaves.
 *
 * @param known asked before a call begins: a value from it replaces the call
 */
export const singleFlight = <A>(known: (key: string) => A | undefined = () => undefined) => {
  const running = new Map<string, Promise<unknown>>()
  const next = new Map<string, Flight<A>>()

  const begin = async (
    key: string,
    call: (cancelled: AbortSignal) => Work<A> | Promise<A>,
    cancelled: AbortController,
  ): Promise<A> => {
    await running.get(key)
    if (next.get(key)?.cancelled === cancelled) next.delete(key)
    if (cancelled.signal.aborted) throw cancelledBefore
    const value = known(key)
    if (value !== undefined) return value
    const called = call(cancelled.signal)
    const { answer, end } = called instanceof Promise ? { answer: called, end: called } : called
    const forget = (): void => void running.delete(key)
    running.set(key, end.then(forget, forget))
    return answer
  }

  return (key: string, call: (cancelled: AbortSignal) => Work<A> | Promise<A>, signal?: Signal): Promise<A> => {
    const waiting = next.get(key)
    if (waiting !== undefined && !waiting.cancelled.signal.aborted) return join(waiting, signal)
    const cancelled = new AbortController()
    const flight: Flight<A> = { answer: begin(key, call, cancelled), cancelled, callers: 0 }
    next.set(key, flight)
    return join(flight, signal)
  }
}
