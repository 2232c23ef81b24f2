// The current route, and the state of each entry in the browser's history.
import { useEffect, useState } from 'preact/hooks'
import { takeFromAddress } from './credentials.js'
import { parseRoute, peekHref, placeHref } from './routes.js'

/** The state of a place, which going back restores. */
export interface Memory {
  readonly selected?: string
  readonly top?: number
  /** Loaded entries. */
  readonly count?: number
}

export const memory = (): Memory => history.state ?? {}

export const remember = (changes: Memory): void => history.replaceState({ ...history.state, ...changes }, '')

const listeners = new Set<() => void>()
/** Counts changes of the page under the same address, such as another token. */
let version = 0

/** Renders the page for the current address and secrets. */
export const refresh = (): void => {
  version += 1
  for (const listener of listeners) listener()
}

export const navigate = (href: string, remembered: Memory = {}): void => {
  if (href === location.href) history.replaceState(remembered, '')
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

export const useNavigation = () => {
  const [, show] = useState(version)
  useEffect(() => {
    const listener = (): void => show(version)
    listeners.add(listener)
    listener()
    return () => {
      listeners.delete(listener)
    }
  }, [])
  return { route: parseRoute(location.href), version }
}

/** Follows a link within the page, unless a modifier key asks for a new tab or a download. */
export const follow = (event: MouseEvent, remembered: Memory = {}): void => {
  const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey
  if (!isPlain || !(event.currentTarget instanceof HTMLAnchorElement)) return
  event.preventDefault()
  navigate(event.currentTarget.href, remembered)
}
