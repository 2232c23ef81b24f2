import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { isLosslessNumber, parse } from 'lossless-json'

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
