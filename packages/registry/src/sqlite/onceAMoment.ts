/** Asked once for all who ask at one moment: before this process hears or does anything else. */
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
