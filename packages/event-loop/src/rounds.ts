/** Between our two immediates: whoever goes on now was waiting for the end of the round. */
let isEnding = false
let end: Promise<void> | undefined
let afterPoll: Promise<void> | undefined

const theEnd = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(() => {
      end = undefined
      isEnding = true
      resolve()
    })
    setImmediate(() => {
      isEnding = false
    })
  })

/**
 * Waits for the end of this round of the event loop; for who was waiting for it already, of the next one. Those who wait
 * for the same end wait together.
 */
export const endOfRound = (): Promise<void> => {
  end ??= theEnd()
  return end
}

/**
 * Waits until the event loop has polled once more: whatever the kernel had queued before the call has been delivered.
 *
 * - Between our two immediates this round has polled already, and the next end is that of the next round, which polls before
 *   it: one end suffices.
 * - Anywhere else this round may be polling now, and its end may come before what was queued is read. Between that end and
 *   the next one the loop polls for certain: it takes two.
 *
 * Those who wait for the same poll wait together.
 */
export const polled = (): Promise<void> => {
  if (isEnding) return endOfRound()
  afterPoll ??= endOfRound().then(() => {
    afterPoll = undefined
    return endOfRound()
  })
  return afterPoll
}
