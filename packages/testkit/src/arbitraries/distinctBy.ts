/** The first of each key. */
export const distinctBy = <A>(key: (a: A) => string, all: ReadonlyArray<A>): ReadonlyArray<A> =>
  all.filter((a, at) => all.findIndex((other) => key(other) === key(a)) === at)
