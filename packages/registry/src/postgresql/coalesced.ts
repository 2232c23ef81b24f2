/**
 * One question at a time for everyone: whoever asks while an answer is on its way gets the next one, which was asked
 * for after them.
 */
export const coalesced = <A>(ask: () => Promise<A>): (() => Promise<A>) => {
  let underWay: Promise<unknown> | undefined
  let next: Promise<A> | undefined

  const begin = (): Promise<A> => {
    const asked = ask().finally(() => {
      if (underWay === asked) underWay = undefined
    })
    underWay = asked
    return asked
  }

  return () => {
    if (underWay === undefined) return begin()
    next ??= underWay
      .then(
        () => undefined,
        () => undefined,
      )
      .then(() => {
        next = undefined
        return begin()
      })
    return next
  }
}
