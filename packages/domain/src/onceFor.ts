interface Derived<B> {
  readonly value: B
}

/**
 * What is derived from a value, derived once for as long as the value lives. Fit for values that never change: then
 * there is nothing to forget, and whoever drops the value drops all that was made of it. What was derived stays with the
 * value, in a property that nobody else sees: make this once, or for values that do not outlive it.
 *
 * In a `WeakMap` whatever is derived from a value that is used once and dropped would outlive it until the next full
 * collection: a minor one takes every value of an old map for used. So only what takes no property goes there.
 */
export const onceFor = <A extends object, B>(derive: (a: A) => B): ((a: A) => B) => {
  const own = Symbol('derived')
  const ofFrozen = new WeakMap<A, Derived<B>>()
  return (a) => {
    const found = Object.hasOwn(a, own) ? (a as { readonly [own]?: Derived<B> })[own] : ofFrozen.get(a)
    if (found !== undefined) return found.value
    const derived = { value: derive(a) }
    if (Object.isExtensible(a)) Object.defineProperty(a, own, { value: derived })
    else ofFrozen.set(a, derived)
    return derived.value
  }
}
