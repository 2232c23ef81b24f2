/**
 * Asked once for all who ask at one moment, before this process can hear anything else. What this very process wrote in the
 * same moment may be missed.
 */
export const onceAMoment = <A>(ask: () => A): (() => A) => {
  let known: { readonly value: A } | undefined
  const forget = (): void => {
    known = undefined
  }
  return () => {
    if (known === undefined) {
      known = { value: ask() }
      queueMicrotask(forget)
    }
    return known.value
  }
}
