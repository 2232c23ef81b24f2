/**
 * A way to wait until every notice of what happened before the call has been delivered. Those who wait in one round of
 * the event loop wait together.
 *
 * A change is in the kernel's queue before its writer goes on, but the loop may read a request that was sent after the
 * change before it reads the notice. The first `setImmediate` ends the round in which the request was read; by the second
 * one the loop has polled once more, so that whatever was queued before has been read.
 */
export const turns = (): (() => Promise<void>) => {
  let waiting: Promise<void> | undefined
  const begin = (): Promise<void> =>
    new Promise((resolve) => {
      setImmediate(() => {
        waiting = undefined
        setImmediate(resolve)
      })
    })
  return () => {
    waiting ??= begin()
    return waiting
  }
}
