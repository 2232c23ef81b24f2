import { useEffect, useState } from 'preact/hooks'
import type { Place } from './routes.js'
import { type Found, type SearchFailure, search } from './searchLines.js'
import { treeUrl } from './service.js'

/** People type more of a name rather than read more results. */
export const maxFound = 1000

/** How often results are shown. */
const showMs = 100

/** While a person types. */
const typingMs = 250

export interface Searching {
  readonly found: ReadonlyArray<Found>
  readonly state: 'searching' | 'complete' | 'full' | 'cancelled' | SearchFailure
  readonly cancel: () => void
}

/** Searches below a place. Each change of the text starts over. */
export const useSearch = (place: Place, text: string): Searching => {
  const [shown, setShown] = useState<Omit<Searching, 'cancel'>>({ found: [], state: 'searching' })
  const [controller, setController] = useState<AbortController>()
  useEffect(() => {
    const current = new AbortController()
    setController(current)
    const found: Array<Found> = []
    const show = (state: Searching['state']): void => setShown({ found: [...found], state })
    show('searching')
    const timer = setInterval(() => show('searching'), showMs)
    const onFound = (each: Found): void => {
      if (found.length < maxFound) found.push(each)
      else current.abort()
    }
    const run = async (): Promise<void> => {
      const failure = await search({ url: treeUrl(place), text, signal: current.signal, onFound })
      clearInterval(timer)
      if (!current.signal.aborted) show(failure ?? 'complete')
      else if (found.length === maxFound) show('full')
    }
    const start = setTimeout(() => void run(), typingMs)
    current.signal.addEventListener('abort', () => {
      clearTimeout(start)
      clearInterval(timer)
    })
    return () => current.abort()
  }, [place, text])
  const cancel = (): void => {
    controller?.abort()
    setShown(({ found }) => ({ found, state: 'cancelled' }))
  }
  return { ...shown, cancel }
}
