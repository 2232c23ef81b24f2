/**
 * What is derived from a value, derived once for as long as the value lives. Fit for values that never change: then
 * there is nothing to forget, and whoever drops the value drops all that was made of it.
 */
export const onceFor = <A extends object, B>(derive: (a: A) => B): ((a: A) => B) => {
  const known = new WeakMap<A, { readonly value: B }>()
  return (a) => {
    const found = known.get(a)
    if (found !== undefined) return found.value
    const value = derive(a)
    known.set(a, { value })
    return value
  }
}
