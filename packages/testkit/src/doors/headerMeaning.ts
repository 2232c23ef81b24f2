/** A list in any order. */
const words = (value: string): string =>
  value
    .split(',')
    .map((word) => word.trim())
    .sort()
    .join(', ')

/** The query of a link to the next page, in no order, and its relation; its path is the one that was asked. */
const link = (value: string): string => {
  const [, to = '', relation = ''] = /^<([^>]*)>\s*;\s*rel="?([^"]*)"?$/i.exec(value) ?? []
  const query = new URLSearchParams(to.includes('?') ? to.slice(to.indexOf('?')) : '')
  query.sort()
  return `?${query.toString()} ${relation.toLowerCase()}`
}

const mediaType = (value: string): string => (value.split(';')[0] ?? '').trim().toLowerCase()

const anyCase = (value: string): string => words(value.toLowerCase())

const readings: Readonly<Record<string, (value: string) => string>> = {
  'content-type': mediaType,
  'cache-control': anyCase,
  vary: anyCase,
  'www-authenticate': anyCase,
  'referrer-policy': anyCase,
  'x-content-type-options': anyCase,
  'x-robots-tag': anyCase,
  'access-control-allow-headers': anyCase,
  allow: words,
  'access-control-allow-methods': words,
  link,
}

/** What a header says, whichever way it is written: so that two spellings compare. */
export const headerMeaning = (name: string, value: string): string => readings[name.toLowerCase()]?.(value) ?? value
