interface Listening {
  readonly calls: Set<() => void>
  readonly hear: () => void
}

/** What each signal ends while it may. Strong, and emptied by its users: the entry of a signal goes with the last of them. */
const listening = new Map<AbortSignal, Listening>()

const begin = (signal: AbortSignal): Listening => {
  const calls = new Set<() => void>()
  const begun: Listening = {
    calls,
    hear: () => {
      for (const call of calls) call()
    },
  }
  listening.set(signal, begun)
  signal.addEventListener('abort', begun.hear)
  return begun
}

/**
 * Calls once the signal is aborted, until what it gives is called. One listener for all that a signal ends: a caller may
 * end many calls with one, and Node warns of more listeners than ten.
 */
export const onAbort = (signal: AbortSignal, call: () => void): (() => void) => {
  const { calls, hear } = listening.get(signal) ?? begin(signal)
  calls.add(call)
  return () => {
    calls.delete(call)
    if (calls.size > 0) return
    listening.delete(signal)
    signal.removeEventListener('abort', hear)
  }
}
