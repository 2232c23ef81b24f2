import * as fc from 'fast-check'
import { target } from '../Ask.js'
import { askOf } from '../arbitraries/askOf.js'
import { curiousVisitorPlan, type DirItemsPlan, type TreePlan } from '../arbitraries/askPlan.js'
import { headerOf, type RawRequest, type RawResponse } from '../doors/rawHttp.js'
import type { WorldPair } from './worldPair.js'

/** A visitor's request, put to both worlds of a pair. */
export interface Visit {
  readonly request: RawRequest
  /** Whether it is put again, with the entity tag that the first world gave. */
  readonly again: boolean
}

/** A visit chosen before the worlds are known. */
export interface VisitPlan {
  readonly ask: TreePlan | DirItemsPlan
  /** Whether the path is taken from the second world. */
  readonly ofTwin: boolean
  readonly method: string
  readonly encoding: string
  readonly again: boolean
}

const mostly = <A>(usual: A, ...rare: ReadonlyArray<A>): fc.Arbitrary<A> =>
  fc.oneof({ weight: 9, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(...rare) })

export const visitPlan: fc.Arbitrary<VisitPlan> = fc.record({
  ask: curiousVisitorPlan,
  ofTwin: fc.boolean(),
  method: mostly('GET', 'HEAD'),
  encoding: mostly('identity', 'gzip', 'br'),
  again: fc.oneof({ weight: 3, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
})

/** With an id for the request, which would be drawn anew for each otherwise. */
const headersOf = (encoding: string): NonNullable<RawRequest['headers']> => [
  ['Host', 'localhost'],
  ['X-Request-Id', 'a-visitor'],
  ['Accept-Encoding', encoding],
]

/** What plans ask of two worlds. */
export const visitsOf = ([one, other]: WorldPair): ((plan: VisitPlan) => Visit) => {
  const [askOne, askOther] = [askOf(one), askOf(other)]
  return ({ ask, ofTwin, method, encoding, again }) => ({
    request: { method, target: target((ofTwin ? askOther : askOne)(ask)), headers: headersOf(encoding) },
    again,
  })
}

/** The conditional requests that follow from the first answers. */
export const conditional = (
  visits: ReadonlyArray<Visit>,
  answers: ReadonlyArray<RawResponse>,
): ReadonlyArray<RawRequest> =>
  visits.flatMap(({ request, again }, index) => {
    const answer = answers[index]
    const etag = answer === undefined ? undefined : headerOf(answer, 'ETag')
    return again && etag !== undefined
      ? [{ ...request, headers: [...(request.headers ?? []), ['If-None-Match', etag] as const] }]
      : []
  })
