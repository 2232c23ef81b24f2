import { Icon } from './icons.js'
import { changeSettings, settings, type Theme, words } from './settings.js'

const themes: ReadonlyArray<Theme> = ['system', 'light', 'dark']

export const ThemeButton = () => {
  const { theme } = settings()
  const label = `${words().theme.label}: ${words().theme[theme]}`
  const next = themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'system'
  return (
    <button
      type="button"
      class="square"
      aria-label={label}
      title={label}
      onClick={() => changeSettings({ theme: next })}
    >
      <Icon name="theme" />
    </button>
  )
}
