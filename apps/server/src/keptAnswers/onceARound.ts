import { endOfTick } from '../eventLoop.js'

/**
 * The same question, asked once for all who ask it in one round of the event loop, at the end of that round: so the
 * answer is about a moment after each of them asked.
 */
export const onceARound = <A>(ask: () => Promise<A>): (() => Promise<A>) => {
  let asked: Promise<A> | undefined
  return () => {
    asked ??= endOfTick().then(() => {
      asked = undefined
      return ask()
    })
    return asked
  }
}
