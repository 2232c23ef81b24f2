import type { Logger } from 'pino'

const everyMs = 1_000

/** What an overload does to very many requests must not cost a line each: one line a second says how many there were. */
export const lineASecond = (log: Logger, what: 'shed' | 'cut' | 'lost', message: string): (() => void) => {
  let count = 0
  return () => {
    count += 1
    if (count > 1) return
    setTimeout(() => {
      log.warn({ [what]: count, ms: everyMs }, message)
      count = 0
    }, everyMs).unref()
  }
}
