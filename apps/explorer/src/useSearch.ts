import type { WalkedNode } from '@canopy/client'
import { useEffect, useState } from 'preact/hooks'
import { type Place, pathOf } from './routes.js'
import { walk } from './service.js'

/** People type more of a name rather than read more results. */
const maxFound = 1000

/** How often results are shown. */
const showMs = 100

/** While a person types. */
const typingMs = 250

type State = 'searching' | 'complete' | 'full' | 'cancelled' | 'refused' | 'failed'

export interface Searching {
  readonly found: ReadonlyArray<WalkedNode>
  readonly state: State
  readonly cancel: () => void
}

const nameOf = ({ path }: WalkedNode): string => path.slice(path.lastIndexOf('/') + 1)

/** Returns a pattern that matches a text anywhere in a name. */
const patternOf = (text: string): string => `*${text.replace(/[*?\\]/g, '\\$&')}*`

/** Adds the results below a place to `found`. Aborts itself when there are too many. */
const search = async (
  place: Place,
  text: string,
  controller: AbortController,
  found: Array<WalkedNode>,
): Promise<State> => {
  const top = pathOf(place)
  const wanted = text.toLowerCase()
  const failure = await walk(place, { signal: controller.signal, name: patternOf(text) }, (node) => {
    // A walk reports an unreadable directory whatever its name.
    const isResult = node.path !== top && (node.expanded !== false || nameOf(node).toLowerCase().includes(wanted))
    if (isResult && found.length < maxFound) found.push(node)
    else if (isResult) controller.abort()
  })
  if (failure === undefined) return 'complete'
  if (failure.error === 'aborted') return found.length === maxFound ? 'full' : 'cancelled'
  return ['invalid token', 'not verified', 'permission denied'].includes(failure.error) ? 'refused' : 'failed'
}

/** Searches below a place. Each change of the text starts over. */
export const useSearch = (place: Place, text: string): Searching => {
  const [shown, setShown] = useState<Omit<Searching, 'cancel'>>({ found: [], state: 'searching' })
  const [controller, setController] = useState<AbortController>()
  useEffect(() => {
    const current = new AbortController()
    setController(current)
    const found: Array<WalkedNode> = []
    const show = (state: State): void => setShown({ found: [...found], state })
    show('searching')
    const timer = setInterval(() => show('searching'), showMs)
    const start = setTimeout(async () => {
      const state = await search(place, text, current, found)
      if (state !== 'cancelled') show(state)
    }, typingMs)
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
