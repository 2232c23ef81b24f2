import { useEffect, useState } from 'preact/hooks'

/** A hook that imports a module when first wanted. Returns `undefined` until it is loaded. */
export const lazily = <A>(load: () => Promise<A>): ((isWanted?: boolean) => A | undefined) => {
  let loaded: A | undefined
  return (isWanted = true) => {
    const [, setLoaded] = useState(loaded)
    useEffect(() => {
      if (!isWanted || loaded !== undefined) return
      const start = async (): Promise<void> => {
        loaded = await load()
        setLoaded(() => loaded)
      }
      void start()
    }, [isWanted])
    return loaded
  }
}
