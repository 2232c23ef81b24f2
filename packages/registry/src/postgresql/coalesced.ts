import { oneAtATime } from '@canopy/event-loop'

/**
 * One question at a time for everyone: whoever asks while an answer is on its way gets the next one, which was asked
 * for after them.
 */
export const coalesced = <A>(ask: () => Promise<A>): (() => Promise<A>) => {
  const shared = oneAtATime<A>(() => undefined)
  const work = () => {
    const answer = ask()
    return { answer, end: answer }
  }
  return () => shared('', work)
}
