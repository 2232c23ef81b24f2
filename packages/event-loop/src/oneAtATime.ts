/** Work for a key: it answers, and later comes to its end. */
export interface Work<A> {
  readonly answer: Promise<A>
  readonly end: Promise<unknown>
}

/**
 * For each key one work at a time, for all who asked before it began: what began earlier may have missed what they must
 * be told. Who asks while one is under way waits for its end; `known` is asked then whether any other is needed.
 */
export const oneAtATime = <A>(known: (key: string) => A | undefined) => {
  const underWay = new Map<string, Promise<unknown>>()
  const next = new Map<string, Promise<A>>()

  const begin = (key: string, work: () => Work<A>): Promise<A> => {
    const { answer, end } = work()
    const ended = end.catch(() => undefined).then(() => underWay.delete(key))
    underWay.set(key, ended)
    return answer
  }

  return (key: string, work: () => Work<A>): Promise<A> => {
    const waiting = next.get(key)
    if (waiting !== undefined) return waiting
    const answer = Promise.resolve(underWay.get(key)).then(() => {
      next.delete(key)
      return known(key) ?? begin(key, work)
    })
    next.set(key, answer)
    return answer
  }
}
