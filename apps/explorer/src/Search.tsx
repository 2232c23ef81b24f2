// The results of a search below a directory, with their folders.
import type { WalkedNode } from '@canopy/client'
import { useEffect, useState } from 'preact/hooks'
import { plainName } from './format.js'
import { Icon, kindOf } from './icons.js'
import { Name } from './Name.js'
import { follow } from './navigation.js'
import { words } from './preferences.js'
import { Changed, Size } from './Row.js'
import { type Place, pathOf, placeHref } from './routes.js'
import { walk } from './service.js'

/** People type more of a name rather than read more results. */
const maxFound = 1000

/** How often results are shown. */
const showMs = 100

/** While a person types. */
const typingMs = 250

type State = 'searching' | 'complete' | 'full' | 'cancelled' | 'refused' | 'failed'

interface Searching {
  readonly found: ReadonlyArray<WalkedNode>
  readonly state: State
  readonly cancel: () => void
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

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
    const isResult = node.path !== top && (node.expanded !== false || nameOf(node.path).toLowerCase().includes(wanted))
    if (isResult && found.length < maxFound) found.push(node)
    else if (isResult) controller.abort()
  })
  if (failure === undefined) return 'complete'
  if (failure.error === 'aborted') return found.length === maxFound ? 'full' : 'cancelled'
  return ['invalid token', 'not verified', 'permission denied'].includes(failure.error) ? 'refused' : 'failed'
}

/** Searches below a place. Each change of the text starts over. */
const useSearch = (place: Place, text: string): Searching => {
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
      clearInterval(timer)
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

interface ResultProps {
  /** The directory that was searched. */
  readonly place: Place
  readonly found: WalkedNode
}

const Result = ({ place, found: { type, path, size, last_modified } }: ResultProps) => {
  const names = path.slice(1).split('/')
  const name = nameOf(path)
  const isFile = type === 'file'
  const kind = kindOf({ is_file: isFile, name })
  const folder = { ...place, names: names.slice(0, -1) }
  const below = `/${folder.names.slice(place.names.length).join('/')}`
  return (
    <li class="result">
      <a href={placeHref({ ...place, names })} title={plainName(name)} onClick={follow}>
        <Icon name={kind} class={kind} label={words().kinds[kind]} />
        <Name name={name} />
      </a>
      <a
        class="quiet"
        href={placeHref(folder)}
        title={plainName(below)}
        onClick={(event) => follow(event, { selected: name })}
      >
        <Name name={below} />
      </a>
      <span class="quiet size">{isFile && <Size bytes={size} />}</span>
      <span class="quiet">
        <Changed seconds={last_modified} />
      </span>
    </li>
  )
}

const Status = ({ found: { length }, state, cancel }: Searching) => (
  <p class="search-status">
    <span role="status">{words().search.states[state](length)}</span>
    {state === 'searching' && (
      <button type="button" onClick={cancel}>
        {words().search.cancel}
      </button>
    )}
  </p>
)

interface SearchProps {
  readonly place: Place
  readonly text: string
}

export const Search = ({ place, text }: SearchProps) => {
  const searching = useSearch(place, text)
  return (
    <section class="search" aria-label={words().search.title}>
      <Status {...searching} />
      <ul>
        {searching.found.map((found) => (
          <Result key={found.path} place={place} found={found} />
        ))}
      </ul>
    </section>
  )
}
