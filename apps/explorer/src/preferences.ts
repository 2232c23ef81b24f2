// The person's choices, which the browser keeps for all tabs: theme, language, order of listings, open panels.
import { de } from './messages/de.js'
import { en, type Messages } from './messages/en.js'
import type { Order } from './order.js'
import { store } from './store.js'

const messages = { en, de }
export type Language = keyof typeof messages
export type Theme = 'system' | 'light' | 'dark'

export interface Preferences {
  readonly theme: Theme
  readonly language: Language
  /** The order of listings, once chosen. */
  readonly chosenOrder?: Order
  /** Open panels beside a listing, on wide screens. */
  readonly panels: { readonly outline: boolean; readonly why: boolean }
}

const isLanguage = (tag: string | undefined): tag is Language => tag === 'en' || tag === 'de'

const browserLanguage = (): Language => navigator.languages.map((tag) => tag.slice(0, 2)).find(isLanguage) ?? 'en'

const read = (): Preferences => {
  const panels = { outline: true, why: true }
  const defaults: Preferences = { theme: 'system', language: browserLanguage(), panels }
  try {
    return { ...defaults, ...JSON.parse(localStorage.getItem('canopy.preferences') ?? '{}') }
  } catch {
    return defaults
  }
}

const current = store(read())

export const preferences = current.get

/** Renders a component again when a preference changes. */
export const usePreferences = current.use

/** Returns the messages in the chosen language. */
export const words = (): Messages => messages[preferences().language]

/** Returns the regional form of the language, for numbers and dates. */
export const locale = (): string =>
  navigator.languages.find((tag) => tag.slice(0, 2) === preferences().language) ?? preferences().language

export const applyPreferences = (): void => {
  const { documentElement } = document
  const { language, theme } = preferences()
  documentElement.lang = language
  if (theme === 'system') delete documentElement.dataset['theme']
  else documentElement.dataset['theme'] = theme
}

export const changePreferences = (changes: Partial<Preferences>): void => {
  current.set({ ...preferences(), ...changes })
  try {
    localStorage.setItem('canopy.preferences', JSON.stringify(preferences()))
  } catch {
    // Storage is blocked: the choice lasts until the page closes.
  }
  applyPreferences()
}
