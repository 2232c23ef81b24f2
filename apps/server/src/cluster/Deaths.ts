/** Workers that died, as long as they follow closely upon each other, and when the last one did, in milliseconds. */
export interface Deaths {
  readonly count: number
  readonly last: number
}

export const none: Deaths = { count: 0, last: Number.NEGATIVE_INFINITY }

/** Deaths further apart have nothing to do with each other, in milliseconds. Longer than a start and a pause may take. */
const calmMs = 120_000

const shortestPauseMs = 250
const longestPauseMs = 30_000

const hopelessCount = 8

/** One more, at a time. */
export const counted = ({ count, last }: Deaths, at: number): Deaths => ({
  count: at - last < calmMs ? count + 1 : 1,
  last: at,
})

/** Before the next start: none after one death, then doubling. */
export const pauseMs = ({ count }: Deaths): number =>
  count <= 1 ? 0 : Math.min(shortestPauseMs * 2 ** (count - 2), longestPauseMs)

/** With so many in a row and no worker that is ready, there is no hope. */
export const areHopeless = ({ count }: Deaths): boolean => count >= hopelessCount
