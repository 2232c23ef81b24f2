import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { HttpAnswer } from '../scenarios/HttpScenario.js'
import { canonicalJson } from './canonicalJson.js'
import { headerMeaning } from './headerMeaning.js'
import { headerOf, type RawResponse } from './rawHttp.js'

/** How an answer is read: every byte as Canopy writes it, or what it says in the words of JSON and HTTP. */
export type Reading = 'exact' | 'meaning'

export interface Difference {
  /** `status`, `body`, or the name of a header. */
  readonly what: string
  readonly expected: string
  readonly got: string
}

const absent = '(absent)'

const different = (what: string, expected: string, got: string, isSame: boolean): ReadonlyArray<Difference> =>
  isSame ? [] : [{ what, expected, got }]

const sameJson = (expected: string, got: string): boolean =>
  pipe(
    [expected, got],
    E.traverseArray(canonicalJson),
    E.match(
      () => false,
      ([one, other]) => one === other,
    ),
  )

const sameBody = (reading: Reading, expected: string, got: string): boolean =>
  expected === got || (reading === 'meaning' && sameJson(expected, got))

const sameHeader = (reading: Reading, name: string, expected: string | undefined, got: string | undefined): boolean =>
  expected === got ||
  (reading === 'meaning' &&
    expected !== undefined &&
    got !== undefined &&
    headerMeaning(name, expected) === headerMeaning(name, got))

/** Everything in which a response is not what was expected. */
export const differences = (
  expected: HttpAnswer,
  response: RawResponse,
  reading: Reading = 'exact',
): ReadonlyArray<Difference> => {
  const body = response.body.toString()
  return [
    ...different('status', `${expected.status}`, `${response.status}`, response.status === expected.status),
    ...different('body', expected.body, body, sameBody(reading, expected.body, body)),
    ...different('end of the body', 'complete', 'cut off, or not of the length that was told', response.complete),
    ...expected.headers.flatMap(([name, value]) => {
      const got = headerOf(response, name)
      return different(name, value ?? absent, got ?? absent, sameHeader(reading, name, value, got))
    }),
  ]
}
