export interface Later<A> {
  readonly value: Promise<A>
  readonly give: (value: A) => void
}

/** A value that is given when it is there. As `Promise.withResolvers`, which Node 20 does not have. */
export const later = <A = void>(): Later<A> => {
  const resolvers: Array<(value: A) => void> = []
  const value = new Promise<A>((resolve) => {
    resolvers.push(resolve)
  })
  const give = (given: A): void => {
    for (const resolve of resolvers) resolve(given)
  }
  return { value, give }
}
