import { isDeepStrictEqual } from 'node:util'
import * as fc from 'fast-check'
import * as O from 'fp-ts/lib/Option.js'
import { target } from '../Ask.js'
import { askOf } from '../arbitraries/askOf.js'
import { visitorPlan } from '../arbitraries/askPlan.js'
import { world } from '../arbitraries/world.js'
import { headerOf, type RawRequest, type RawResponse } from '../doors/rawHttp.js'
import type { World } from '../World.js'
import { answerKind } from './answerKind.js'
import type { RawDoor } from './RawDoor.js'
import * as Tally from './Tally.js'
import { twinOf } from './twinOf.js'
import { twinPlan } from './twinPlan.js'

export interface NonInterferenceOptions {
  /** How many pairs of worlds to compare. */
  readonly pairs: number
  readonly seed: number
}

export interface NonInterferenceReport {
  readonly door: string
  readonly pairs: number
  /** Pairs whose two worlds are not the same. */
  readonly differing: number
  /** To each world of a pair. */
  readonly requests: number
  readonly answers: Tally.Tally
  readonly interference: O.Option<Interference>
}

/** The smallest pair and request found; `seed` and `path` are fast-check's, for a replay. */
export interface Interference extends Told {
  readonly seed: number
  readonly path: string
}

/** A request by which a visitor tells two worlds apart. */
interface Told {
  readonly worlds: readonly [World, World]
  readonly request: RawRequest
  readonly answers: readonly [string, string]
}

const visit = fc.record({
  plan: visitorPlan,
  encoding: fc.oneof(
    { weight: 9, arbitrary: fc.constant('identity') },
    { weight: 1, arbitrary: fc.constantFrom('gzip', 'br') },
  ),
  method: fc.oneof({ weight: 9, arbitrary: fc.constant('GET') }, { weight: 1, arbitrary: fc.constant('HEAD') }),
  /** Whether the path is taken from the second world. */
  ofTwin: fc.boolean(),
  /** Whether it is asked again, with the entity tag that the first world gave. */
  again: fc.oneof({ weight: 3, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
})

const pair = fc
  .record({ one: world(), plans: fc.array(twinPlan, { minLength: 1, maxLength: 3 }) })
  .map(({ one, plans }): readonly [World, World] => [
    one,
    {
      ...one,
      accounts: one.accounts.map((account, index) => {
        const plan = plans[index % plans.length]
        return plan === undefined ? account : twinOf(plan)(account)
      }),
    },
  ])

/** With an id for the request, which would be drawn anew for each otherwise. */
const headersOf = (encoding: string): NonNullable<RawRequest['headers']> => [
  ['Host', 'localhost'],
  ['X-Request-Id', 'a-visitor'],
  ['Accept-Encoding', encoding],
]

/** All of an answer but the time of day. */
const bytesOf = ({ status, headers, body, complete }: RawResponse): string =>
  JSON.stringify([status, headers.filter(([name]) => name.toLowerCase() !== 'date'), body.toString('latin1'), complete])

const kindOf = ({ method }: RawRequest, response: RawResponse): string => {
  const { status, body } = response
  const text = body.toString()
  if (method === 'HEAD') return `${status} to HEAD`
  if (headerOf(response, 'Content-Encoding') !== undefined) return `${status} compressed`
  return status === 200 ? answerKind({ body: text }) : `${status} ${/"error":"([^"]*)"/.exec(text)?.[1] ?? ''}`.trim()
}

interface Visit {
  readonly request: RawRequest
  readonly again: boolean
}

/** The same, for those that are to be asked again and had an entity tag. */
const conditional = (visits: ReadonlyArray<Visit>, answers: ReadonlyArray<RawResponse>): ReadonlyArray<RawRequest> =>
  visits.flatMap(({ request, again }, index) => {
    const answer = answers[index]
    const etag = answer === undefined ? undefined : headerOf(answer, 'ETag')
    return again && etag !== undefined
      ? [{ ...request, headers: [...(request.headers ?? []), ['If-None-Match', etag] as const] }]
      : []
  })

interface Compared {
  readonly kinds: ReadonlyArray<string>
  readonly told: O.Option<Told>
}

const compare = async (
  { open }: RawDoor,
  worlds: readonly [World, World],
  visits: ReadonlyArray<Visit>,
): Promise<Compared> => {
  const first = visits.map(({ request }) => request)
  const one = await open(worlds[0])
  const answers = await one.send(first)
  const second = conditional(visits, answers)
  const all = [...answers, ...(await one.send(second))]
  await one.close()
  const other = await open(worlds[1])
  const others = [...(await other.send(first)), ...(await other.send(second))]
  await other.close()
  const requests = [...first, ...second]
  const told = requests.flatMap((request, index): ReadonlyArray<Told> => {
    const [left, right] = [all[index], others[index]].map((answer) => (answer === undefined ? '' : bytesOf(answer)))
    return left === right ? [] : [{ worlds, request, answers: [left ?? '', right ?? ''] }]
  })
  const kinds = requests.flatMap((request, index) => {
    const answer = all[index]
    return answer === undefined ? [] : [kindOf(request, answer)]
  })
  return { kinds, told: O.fromNullable(told[0]) }
}

const differ = ([one, other]: readonly [World, World]): boolean => !isDeepStrictEqual(one, other)

/**
 * The law: what a visitor receives depends only on the settings and on the nodes that the visitor may see. Asks a
 * service about pairs of worlds which differ in nothing else, and compares status, headers and bytes.
 */
export const nonInterference = async (
  door: RawDoor,
  { pairs, seed }: NonInterferenceOptions,
): Promise<NonInterferenceReport> => {
  let report = { door: door.name, pairs: 0, differing: 0, requests: 0, answers: Tally.none }
  let smallest: O.Option<Told> = O.none
  const property = fc.asyncProperty(fc.array(visit, { minLength: 1, maxLength: 7 }), pair, async (planned, worlds) => {
    const [askOne, askOther] = worlds.map(askOf)
    const visits = planned.flatMap(({ plan, encoding, method, ofTwin, again }) => {
      const ask = (ofTwin ? askOther : askOne)?.(plan)
      return ask === undefined
        ? []
        : [{ request: { method, target: target(ask), headers: headersOf(encoding) }, again }]
    })
    const { kinds, told } = await compare(door, worlds, visits)
    if (O.isSome(told)) smallest = told
    if (O.isSome(smallest)) return O.isNone(told)
    report = {
      ...report,
      pairs: report.pairs + 1,
      differing: report.differing + (differ(worlds) ? 1 : 0),
      requests: report.requests + kinds.length,
      answers: Tally.count(report.answers, kinds),
    }
    return true
  })
  const run = await fc.check(property, { numRuns: pairs, seed })
  // What fails without a difference is the door, or this property itself.
  if (run.failed && O.isNone(smallest)) throw run.errorInstance
  const { counterexamplePath: path } = run
  const replayed = (told: Told): Interference => ({ ...told, seed: run.seed, path: path ?? '' })
  return { ...report, interference: O.map(replayed)(smallest) }
}
