import { useEffect, useState } from 'preact/hooks'

/** A value outside the components, which render again when it changes. */
export interface Store<A> {
  readonly get: () => A
  readonly set: (value: A) => void
  /** A hook that returns the current value. */
  readonly use: () => A
}

export const store = <A>(initial: A): Store<A> => {
  let current = initial
  const listeners = new Set<() => void>()
  return {
    get: () => current,
    set: (value) => {
      current = value
      for (const listener of listeners) listener()
    },
    use: () => {
      const [, render] = useState(current)
      useEffect(() => {
        const listener = (): void => render(() => current)
        listeners.add(listener)
        // The value may have changed since the component rendered.
        listener()
        return () => {
          listeners.delete(listener)
        }
      }, [])
      return current
    },
  }
}
