import type { Supervision } from './Supervision.js'

/** Deaths further apart have nothing to do with each other, in milliseconds. */
const calmMs = 60_000

const shortestPauseMs = 250
const longestPauseMs = 30_000

/** With so many deaths in a row and no worker that listens, there is no hope. */
export const hopeless = 8

export const countDeath = ({ count, last }: Supervision['deaths'], at: number): Supervision['deaths'] => ({
  count: at - last < calmMs ? count + 1 : 1,
  last: at,
})

/** Before the next start: none after one death, then doubling. */
export const pauseMs = (deaths: number): number =>
  deaths <= 1 ? 0 : Math.min(shortestPauseMs * 2 ** (deaths - 2), longestPauseMs)
