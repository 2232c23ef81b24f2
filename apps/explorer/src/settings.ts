// What a person chooses, stored by the browser for all tabs: the theme, the language, the order of listings.
import { de } from './messages/de.js'
import { en, type Messages } from './messages/en.js'
import { type Order, serviceOrder } from './order.js'

const messages = { en, de }
export type Language = keyof typeof messages
export type Theme = 'system' | 'light' | 'dark'

export interface Settings {
  readonly theme: Theme
  readonly language: Language
  readonly order: Order
  /** Which panels are open beside a listing, where there is room for them. */
  readonly panels: { readonly outline: boolean; readonly why: boolean }
}

const isLanguage = (tag: string | undefined): tag is Language => tag === 'en' || tag === 'de'

const ofBrowser = (): Language => navigator.languages.map((tag) => tag.slice(0, 2)).find(isLanguage) ?? 'en'

const read = (): Settings => {
  const panels = { outline: true, why: true }
  const defaults: Settings = { theme: 'system', language: ofBrowser(), order: serviceOrder, panels }
  try {
    return { ...defaults, ...JSON.parse(localStorage.getItem('canopy.settings') ?? '{}') }
  } catch {
    return defaults
  }
}

let current = read()
const listeners = new Set<() => void>()

export const settings = (): Settings => current

/** The words of the page, in the language that was chosen. */
export const words = (): Messages => messages[current.language]

/** The person's own form of the language, for numbers and dates. */
export const locale = (): string =>
  navigator.languages.find((tag) => tag.slice(0, 2) === current.language) ?? current.language

export const applySettings = (): void => {
  const { documentElement } = document
  documentElement.lang = current.language
  if (current.theme === 'system') delete documentElement.dataset['theme']
  else documentElement.dataset['theme'] = current.theme
}

export const changeSettings = (changes: Partial<Settings>): void => {
  current = { ...current, ...changes }
  try {
    localStorage.setItem('canopy.settings', JSON.stringify(current))
  } catch {
    // It keeps nothing: the choice ends with the page.
  }
  applySettings()
  for (const listener of listeners) listener()
}

export const onSettings = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
