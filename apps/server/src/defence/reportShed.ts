import type { Logger } from 'pino'

const everyMs = 1_000

/** A refused request must not cost a log line each: one line a second says how many there were. */
export const reportShed = (log: Logger): (() => void) => {
  let count = 0
  return () => {
    count += 1
    if (count > 1) return
    setTimeout(() => {
      log.warn({ shed: count, ms: everyMs }, 'overloaded')
      count = 0
    }, everyMs).unref()
  }
}
