import { IconButton } from './icons.js'
import { changePreferences, preferences, type Theme, words } from './preferences.js'

const themes: ReadonlyArray<Theme> = ['system', 'light', 'dark']

export const ThemeButton = () => {
  const { theme } = preferences()
  const label = `${words().theme.label}: ${words().theme[theme]}`
  const next = themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'system'
  return <IconButton icon="theme" label={label} onClick={() => changePreferences({ theme: next })} />
}
