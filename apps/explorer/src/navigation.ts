// The current route, and the state of each entry in the browser's history.
import { takeFromAddress } from './credentials.js'
import { type Place, parseRoute, peekHref, placeHref } from './routes.js'
import { store } from './store.js'

/** The state of a place, which going back restores. */
export interface Memory {
  readonly selected?: string
  readonly top?: number | undefined
  /** Loaded entries. */
  readonly count?: number
  readonly filter?: string
  /** Whether the filter searches subfolders too. */
  readonly isDeep?: boolean
  /** Whether the first page was not the whole listing. */
  readonly isPaged?: boolean
}

export const memory = (): Memory => history.state ?? {}

/** Reports whether the address is that of a place, in any spelling. */
const isAt = (place: Place): boolean => {
  const route = parseRoute(location.href)
  return route.page === 'place' && placeHref(route.place) === placeHref(place)
}

/** Changes the state of a place, unless the history has moved on to another place. */
export const remember = (place: Place, changes: Memory): void => {
  if (!isAt(place)) return
  try {
    history.replaceState({ ...history.state, ...changes }, '')
  } catch {
    // Safari limits how often the state may change.
  }
}

/** Counts changes of the page under the same address, such as another token. */
const version = store(0)

/** Renders the page for the current address and secrets. */
export const refresh = (): void => version.set(version.get() + 1)

/** Reports whether the page has changed since it was opened. */
export const hasNavigated = (): boolean => version.get() > 0

export const navigate = (href: string, remembered: Memory = {}, how: 'push' | 'replace' = 'push'): void => {
  if (how === 'replace') history.replaceState(remembered, '', href)
  else if (href === location.href) history.replaceState(remembered, '')
  else history.pushState(remembered, '', href)
  refresh()
}

/** Takes a secret from the address. On the start page, continues to the files or trigger. */
const takeSecret = (): void => {
  const taken = takeFromAddress()
  if (taken === 'trigger') history.replaceState({}, '', peekHref)
  if (taken === 'token' && parseRoute(location.href).page === 'start')
    history.replaceState({}, '', placeHref({ view: { as: 'owner' }, names: [] }))
}

/** Call before the first rendering. */
export const startNavigation = (): void => {
  takeSecret()
  // Typing a fragment into the address bar triggers this event too.
  addEventListener('popstate', () => {
    takeSecret()
    refresh()
  })
}

export const useNavigation = () => ({ version: version.use(), route: parseRoute(location.href) })

/** Does what a link is for within the page, unless a modifier key asks for a new tab or a download. */
export const followTo = (event: MouseEvent, action: (href: string) => void): void => {
  const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey
  if (!isPlain || !(event.currentTarget instanceof HTMLAnchorElement)) return
  event.preventDefault()
  action(event.currentTarget.href)
}

export const follow = (event: MouseEvent, remembered: Memory = {}): void =>
  followTo(event, (href) => navigate(href, remembered))
