// Which address the page shows, and what the browser remembers of each one in its history.
import { useEffect, useState } from 'preact/hooks'
import { takeFromAddress } from './credentials.js'
import { peekHref, placeHref, routeOf } from './routes.js'

/** What is remembered of a place, so that going back finds it as it was left. */
export interface Memory {
  readonly selected?: string
  readonly top?: number
  /** Entries that were loaded. */
  readonly count?: number
}

export const memory = (): Memory => history.state ?? {}

export const remember = (changes: Memory): void => history.replaceState({ ...history.state, ...changes }, '')

const listeners = new Set<() => void>()
/** Counts what changes the page without changing its address, such as a token. */
let version = 0

/** Shows what the address and the secrets of this tab name now. */
export const refresh = (): void => {
  version += 1
  for (const listener of listeners) listener()
}

export const navigate = (href: string, remembered: Memory = {}): void => {
  if (href === location.href) history.replaceState(remembered, '')
  else history.pushState(remembered, '', href)
  refresh()
}

/** Takes a secret out of the address, and leads from the start page to what it opens. */
const enter = (): void => {
  const taken = takeFromAddress()
  if (taken === 'trigger') history.replaceState({}, '', peekHref)
  if (taken === 'token' && routeOf(location.href).page === 'start')
    history.replaceState({}, '', placeHref({ view: { as: 'owner' }, names: [] }))
}

/** Before the page is shown first. */
export const startNavigation = (): void => {
  enter()
  // A fragment that is typed or pasted into the address bar is a change of history too.
  addEventListener('popstate', () => {
    enter()
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
  return { route: routeOf(location.href), version }
}

/** Follows a link inside of the page, unless the person wants a new tab or a download. */
export const follow = (event: MouseEvent, remembered: Memory = {}): void => {
  const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey
  if (!isPlain || !(event.currentTarget instanceof HTMLAnchorElement)) return
  event.preventDefault()
  navigate(event.currentTarget.href, remembered)
}
