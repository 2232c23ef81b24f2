// The panels beside a listing: on wide screens columns, which stay open, elsewhere sheets.
import { changePreferences, preferences } from './preferences.js'
import { store } from './store.js'

export type PanelName = 'outline' | 'why'

const wide = matchMedia('(min-width: 1100px)')

const isWide = store(wide.matches)
const sheet = store<PanelName | undefined>(undefined)

wide.addEventListener('change', () => {
  sheet.set(undefined)
  isWide.set(wide.matches)
})

export const setPanel = (name: PanelName, open: boolean): void => {
  if (isWide.get()) changePreferences({ panels: { ...preferences().panels, [name]: open } })
  else sheet.set(open ? name : undefined)
}

export const closeSheet = (): void => sheet.set(undefined)

/** Returns whether the screen is wide enough for columns. */
export const useIsWide = isWide.use

export const useIsOpen = (name: PanelName): boolean => {
  const openSheet = sheet.use()
  return isWide.use() ? preferences().panels[name] : openSheet === name
}
