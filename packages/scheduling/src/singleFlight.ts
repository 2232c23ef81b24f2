/** The part of `AbortSignal` that is used here. It aborts when a caller leaves. */
export interface Signal {
  readonly aborted: boolean
  readonly addEventListener: (type: 'abort', listener: () => void) => void
  readonly removeEventListener: (type: 'abort', listener: () => void) => void
}

/** A call whose answer arrives before its work is done. */
export interface Work<A> {
  readonly answer: Promise<A>
  readonly end: Promise<unknown>
}

interface Flight<A> {
  readonly answer: Promise<A>
  /** Absent if the first caller has no signal, because that caller never leaves. */
  readonly controller: AbortController | undefined
  callers: number
}

const allCallersLeft = new Error('every caller has left')

/** Waits for the answer. The flight is cancelled when the signal of its last caller aborts. */
const join = async <A>(flight: Flight<A>, signal: Signal): Promise<A> => {
  const leave = (): void => {
    flight.callers -= 1
    if (flight.callers === 0) flight.controller?.abort(allCallersLeft)
  }
  if (signal.aborted) leave()
  else signal.addEventListener('abort', leave)
  try {
    return await flight.answer
  } finally {
    signal.removeEventListener('abort', leave)
  }
}

/** Gets a signal if the call can be cancelled. */
type Call<A> = (signal: AbortSignal | undefined) => Work<A> | Promise<A>

/**
 * Runs one call at a time for each key. Unlike Go's `singleflight`, a late caller does not join the running call, because that
 * call may have missed a change that the caller must see. All callers that arrive while a call runs share the next call, which
 * begins when the running one has ended. A call is cancelled when its last caller leaves.
 *
 * @param cached checked just before a call; if it returns a value, the call is skipped
 */
export const singleFlight = <A>(cached: (key: string) => A | undefined = () => undefined) => {
  const running = new Map<string, Promise<unknown>>()
  const next = new Map<string, Flight<A>>()

  const begin = async (key: string, call: Call<A>, controller: AbortController | undefined): Promise<A> => {
    await running.get(key)
    // A flight that was cancelled may have been replaced by another, which has another controller.
    if (next.get(key)?.controller === controller) next.delete(key)
    if (controller?.signal.aborted === true) throw allCallersLeft
    const value = cached(key)
    if (value !== undefined) return value
    const called = call(controller?.signal)
    const { answer, end } = called instanceof Promise ? { answer: called, end: called } : called
    const forget = (): void => void running.delete(key)
    running.set(key, end.then(forget, forget))
    return answer
  }

  const flightFor = (key: string, call: Call<A>, signal: Signal | undefined): Flight<A> => {
    const waiting = next.get(key)
    if (waiting !== undefined && waiting.controller?.signal.aborted !== true) return waiting
    const controller = signal && new AbortController()
    const flight: Flight<A> = { answer: begin(key, call, controller), controller, callers: 0 }
    next.set(key, flight)
    return flight
  }

  return (key: string, call: Call<A>, signal?: Signal): Promise<A> => {
    const flight = flightFor(key, call, signal)
    flight.callers += 1
    return signal === undefined ? flight.answer : join(flight, signal)
  }
}
