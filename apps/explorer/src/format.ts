// Formats sizes, times and names for people.
import { locale } from './preferences.js'

const cached = <A>(make: (locale: string) => A): (() => A) => {
  const made = new Map<string, A>()
  return () => {
    const found = made.get(locale()) ?? make(locale())
    made.set(locale(), found)
    return found
  }
}

const whole = cached((tag) => new Intl.NumberFormat(tag))
const tenths = cached((tag) => new Intl.NumberFormat(tag, { minimumFractionDigits: 1, maximumFractionDigits: 1 }))

const percent = cached((tag) => new Intl.NumberFormat(tag, { style: 'percent' }))

export const formatCount = (n: number | bigint): string => whole().format(n)

/** `45%`, or `45 %` in German. */
export const formatShare = (share: number): string => percent().format(share)

const units = ['B', 'KB', 'MB', 'GB', 'TB', 'PB', 'EB']

const divided = (bytes: bigint, by: bigint): bigint => (bytes + by / 2n) / by

/** In units of 1,000. Rounds bigints, so that every digit is right. */
export const formatSize = (bytes: bigint): string => {
  const last = units.length - 1
  const fits = units.findIndex((_, unit) => unit === last || divided(bytes, 1000n ** BigInt(unit)) < 1000n)
  const step = 1000n ** BigInt(fits)
  const inTenths = divided(bytes * 10n, step)
  const isShort = fits > 0 && inTenths < 100n
  return `${isShort ? tenths().format(Number(inTenths) / 10) : whole().format(divided(bytes, step))} ${units[fits]}`
}

const shortDate = cached((tag) => new Intl.DateTimeFormat(tag, { day: 'numeric', month: 'short', year: 'numeric' }))
const exactTime = cached((tag) => new Intl.DateTimeFormat(tag, { dateStyle: 'full', timeStyle: 'long' }))
const relative = cached((tag) => new Intl.RelativeTimeFormat(tag, { numeric: 'auto' }))

/** The last second that a Date can represent. */
const lastSecond = 8_640_000_000_000n

const daySeconds = 86_400

const agoOf = (seconds: number): string => {
  if (seconds < 60) return relative().format(0, 'second')
  if (seconds < 3600) return relative().format(-Math.floor(seconds / 60), 'minute')
  if (seconds < daySeconds) return relative().format(-Math.floor(seconds / 3600), 'hour')
  return relative().format(-Math.floor(seconds / daySeconds), 'day')
}

export interface Time {
  readonly short: string
  /** The date and the time elapsed since. */
  readonly exact: string
  /** For `<time>`; `undefined` beyond the calendar. */
  readonly machine: string | undefined
}

/** Relative within a week, then a date; with both and the zone in `exact`. */
export const formatTime = (seconds: bigint, now = Date.now()): Time => {
  if (seconds > lastSecond) {
    const text = `${formatCount(seconds)} s`
    return { short: text, exact: text, machine: undefined }
  }
  const date = new Date(Number(seconds) * 1000)
  const age = Math.floor(now / 1000) - Number(seconds)
  const isNear = age >= 0 && age < 7 * daySeconds
  const short = isNear ? agoOf(age) : shortDate().format(date)
  const full = exactTime().format(date)
  const ago = age >= 0 ? agoOf(age) : relative().format(-Math.floor(age / daySeconds), 'day')
  return { short, exact: `${full} (${ago})`, machine: date.toISOString() }
}

export interface Piece {
  readonly text: string
  /** The name of an invisible or reordering character. */
  readonly mark?: string
}

const marks: Readonly<Record<string, string>> = {
  '\t': 'TAB',
  '\n': 'LF',
  '\v': 'VT',
  '\f': 'FF',
  '\r': 'CR',
  '\x1b': 'ESC',
  '\x7f': 'DEL',
  ' ': 'SP',
  '\xa0': 'NBSP',
  '\xad': 'SHY',
  '\u061c': 'ALM',
  '\u200b': 'ZWSP',
  '\u200e': 'LRM',
  '\u200f': 'RLM',
  '\u202a': 'LRE',
  '\u202b': 'RLE',
  '\u202c': 'PDF',
  '\u202d': 'LRO',
  '\u202e': 'RLO',
  '\u2060': 'WJ',
  '\u2066': 'LRI',
  '\u2067': 'RLI',
  '\u2068': 'FSI',
  '\u2069': 'PDI',
  '\ufeff': 'BOM',
}

const markOf = (character: string): string =>
  marks[character] ?? `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`

// Control characters, line ends, format characters, spaces at the ends, and spaces other than U+0020. Emoji and some
// scripts need the two joiners and tags.
const invisible = /[\p{Cc}\p{Zl}\p{Zp}]|(?!\u200c|\u200d|[\u{e0020}-\u{e007f}])\p{Cf}|^ | $|(?! )\p{Zs}/gu

/** Splits a name into plain text and characters that need a visible mark. */
export const splitPieces = (name: string): ReadonlyArray<Piece> => {
  const pieces: Array<Piece> = []
  let from = 0
  for (const { 0: character, index } of name.matchAll(invisible)) {
    if (index > from) pieces.push({ text: name.slice(from, index) })
    pieces.push({ text: character, mark: markOf(character) })
    from = index + character.length
  }
  if (from < name.length) pieces.push({ text: name.slice(from) })
  return pieces
}

/** Returns a name as plain text for titles and screen readers. */
export const plainName = (name: string): string =>
  splitPieces(name)
    .map(({ text, mark }) => (mark === undefined ? text : `[${mark}]`))
    .join('')
