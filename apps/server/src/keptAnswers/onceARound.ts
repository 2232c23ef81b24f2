/**
 * The same question, asked once for all who ask it in one round of the event loop, at the end of that round: so the
 * answer is about a moment after each of them asked.
 */
export const onceARound = <A>(ask: () => Promise<A>): (() => Promise<A>) => {
  let asked: Promise<A> | undefined
  const atTheEnd = (): Promise<A> =>
    new Promise((resolve, reject) => {
      setImmediate(() => {
        asked = undefined
        ask().then(resolve, reject)
      })
    })
  return () => {
    asked ??= atTheEnd()
    return asked
  }
}
