import { options } from 'preact'
import { useEffect, useState } from 'preact/hooks'

export const useIsPrinting = (): boolean => {
  const [isPrinting, setPrinting] = useState(false)
  useEffect(() => {
    // The browser takes its picture right after the event, so render synchronously.
    const change = (printing: boolean) => () => {
      const { debounceRendering } = options
      options.debounceRendering = (render) => render()
      setPrinting(printing)
      if (debounceRendering === undefined) delete options.debounceRendering
      else options.debounceRendering = debounceRendering
    }
    const [before, after] = [change(true), change(false)]
    addEventListener('beforeprint', before)
    addEventListener('afterprint', after)
    return () => {
      removeEventListener('beforeprint', before)
      removeEventListener('afterprint', after)
    }
  }, [])
  return isPrinting
}
