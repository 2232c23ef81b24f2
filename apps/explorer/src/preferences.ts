// The person's choices, which the browser keeps for all tabs: theme, language, order of listings, open panels.
import { de } from './messages/de.js'
import { en, type Messages } from './messages/en.js'
import type { Order } from './order.js'

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

let current = read()
const listeners = new Set<() => void>()

export const preferences = (): Preferences => current

/** Returns the messages in the chosen language. */
export const words = (): Messages => messages[current.language]

/** Returns the regional form of the language, for numbers and dates. */
export const locale = (): string =>
  navigator.languages.find((tag) => tag.slice(0, 2) === current.language) ?? current.language

export const applyPreferences = (): void => {
  const { documentElement } = document
  documentElement.lang = current.language
  if (current.theme === 'system') delete documentElement.dataset['theme']
  else documentElement.dataset['theme'] = current.theme
}

export const changePreferences = (changes: Partial<Preferences>): void => {
  current = { ...current, ...changes }
  try {
    localStorage.setItem('canopy.preferences', JSON.stringify(current))
  } catch {
    // Storage is blocked: the choice lasts until the page closes.
  }
  applyPreferences()
  for (const listener of listeners) listener()
}

export const onPreferencesChange = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
