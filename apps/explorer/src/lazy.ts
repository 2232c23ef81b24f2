import { useEffect, useState } from 'preact/hooks'

/** A part of the page that is loaded when it is first shown; `undefined` until it is there. */
export const lazily = <A>(load: () => Promise<A>): ((isWanted?: boolean) => A | undefined) => {
  let loaded: A | undefined
  return (isWanted = true) => {
    const [, show] = useState(loaded)
    useEffect(() => {
      if (!isWanted || loaded !== undefined) return
      const begin = async (): Promise<void> => {
        loaded = await load()
        show(() => loaded)
      }
      void begin()
    }, [isWanted])
    return loaded
  }
}
