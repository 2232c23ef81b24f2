// How a process that works for long without waiting lets others on in time.

/**
 * The shortest sleep that is one on every call: some 100 microseconds.
 *
 * @returns {void}
 */
const shortestSleep = () => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 0.02)

/** Milliseconds between two sleeps. */
const stretchMs = 1
/** Who wanted the processor goes on wanting it for so many milliseconds. */
const wantedMs = 100

/**
 * To be called between pieces of work. Where others wait for this processor the system takes it away only at its next
 * tick, which may be 4 ms off, whatever the priority of those who wait: who sleeps hands it over at once. Nobody sleeps
 * while nobody waits: what was taken from us tells.
 *
 * @param {{ now?: () => number, takenAway?: () => number, sleep?: () => void }} [machine]
 * @returns {() => void}
 */
export const givingWay = ({
  now = () => performance.now(),
  takenAway = () => process.resourceUsage().involuntaryContextSwitches,
  sleep = shortestSleep,
} = {}) => {
  let taken = takenAway()
  let wantedUntil = Number.NEGATIVE_INFINITY
  let next = now() + stretchMs
  return () => {
    const at = now()
    if (at < next) return
    const before = taken
    taken = takenAway()
    if (taken > before) wantedUntil = at + wantedMs
    if (at < wantedUntil) sleep()
    next = now() + stretchMs
  }
}
