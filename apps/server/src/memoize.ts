/** What is derived from a value that never changes, derived once for as long as the value lives. */
export const memoize = <A extends object, B>(derive: (a: A) => B): ((a: A) => B) => {
  const known = new WeakMap<A, { readonly value: B }>()
  return (a) => {
    const found = known.get(a) ?? { value: derive(a) }
    known.set(a, found)
    return found.value
  }
}
