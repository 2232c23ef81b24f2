// The panels beside a listing: on wide screens columns, which stay open, elsewhere sheets.
import { useEffect, useState } from 'preact/hooks'
import { changePreferences, preferences } from './preferences.js'

export type PanelName = 'outline' | 'why'

const wide = matchMedia('(min-width: 1100px)')

let sheet: PanelName | undefined
const listeners = new Set<() => void>()

const notify = (): void => {
  for (const listener of listeners) listener()
}

export const isOpen = (name: PanelName): boolean => (wide.matches ? preferences().panels[name] : sheet === name)

export const setPanel = (name: PanelName, open: boolean): void => {
  if (wide.matches) changePreferences({ panels: { ...preferences().panels, [name]: open } })
  else {
    sheet = open ? name : undefined
    notify()
  }
}

export const closeSheet = (): void => {
  if (sheet === undefined) return
  sheet = undefined
  notify()
}

/** Returns whether the screen is wide enough for columns. */
export const usePanels = (): boolean => {
  const [, render] = useState(0)
  useEffect(() => {
    const listener = (): void => render((count) => count + 1)
    const resized = (): void => {
      sheet = undefined
      listener()
    }
    listeners.add(listener)
    wide.addEventListener('change', resized)
    return () => {
      listeners.delete(listener)
      wide.removeEventListener('change', resized)
    }
  }, [])
  return wide.matches
}
