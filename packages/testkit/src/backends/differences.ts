import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { isLosslessNumber, parse } from 'lossless-json'
import type { HttpAnswer } from '../scenarios/Scenario.js'
import { headerOf, type RawResponse } from './rawHttp.js'

const entriesInOrder = (object: object): ReadonlyArray<readonly [string, unknown]> =>
  Object.entries(object).sort(([x], [y]) => (x < y ? -1 : 1))

const written = (value: unknown): string => {
  if (isLosslessNumber(value)) return value.value
  if (Array.isArray(value)) return `[${value.map(written).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  return `{${entriesInOrder(value)
    .map(([name, field]) => `${JSON.stringify(name)}:${written(field)}`)
    .join(',')}}`
}

/**
 * The same text for every way of writing the same JSON: white space, the order of fields and escapes do not matter. The
 * digits of numbers do, each of them. `left` when it is no JSON.
 */
export const canonicalJson = (text: string): E.Either<string, string> =>
  pipe(
    E.tryCatch(
      () => parse(text),
      () => 'no JSON',
    ),
    E.map(written),
  )

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
const headerMeaning = (name: string, value: string): string => readings[name.toLowerCase()]?.(value) ?? value

/** How an answer is read: every byte as Canopy writes it, or what it says in the words of JSON and HTTP. */
export type Reading = 'exact' | 'meaning'

interface Difference {
  /** `status`, `body`, or the name of a header. */
  readonly what: string
  readonly expected: string
  readonly got: string
}

const absent = '(absent)'
const cutOff = 'cut off, or not of the length that was reported'

/** What JSON says, whichever way it is written; text that is no JSON only says itself. */
const jsonMeaning = (text: string): string => E.getOrElse(() => text)(canonicalJson(text))

/** Everything in which a response is not what was expected. */
export const differences = (
  expected: HttpAnswer,
  response: RawResponse,
  reading: Reading = 'exact',
): ReadonlyArray<Difference> => {
  const compared = (what: string, one: string, got: string, meaning = (text: string) => text) =>
    one === got || (reading === 'meaning' && meaning(one) === meaning(got)) ? [] : [{ what, expected: one, got }]
  return [
    ...compared('status', `${expected.status}`, `${response.status}`),
    ...compared('body', expected.body, response.body.toString(), jsonMeaning),
    ...compared('end of the body', 'complete', response.complete ? 'complete' : cutOff),
    ...expected.headers.flatMap(([name, value]) =>
      compared(name, value ?? absent, headerOf(response, name) ?? absent, (text) => headerMeaning(name, text)),
    ),
  ]
}
