import { isDeepStrictEqual } from 'node:util'
import {
  type Ask,
  answerKind,
  arbitraries,
  counted,
  headerOf,
  type RawRequest,
  type RawResponse,
  requestOf,
  type Tally,
  type World,
} from '@canopy/testkit'
import * as fc from 'fast-check'
import * as O from 'fp-ts/lib/Option.js'
import { type WorldPair, worldPair } from './worldPair.js'

/** A service whose whole answers are looked at, with status and headers. */
export interface RawBackend {
  readonly name: string
  /** Seeds a fresh copy of the world; the one before it is closed first. */
  readonly open: (world: World) => Promise<OpenRawBackend>
}

export interface OpenRawBackend {
  /** The answers in the order of the requests. */
  readonly send: (requests: ReadonlyArray<RawRequest>) => Promise<ReadonlyArray<RawResponse>>
  readonly close: () => Promise<void>
}

/** A visitor's request, put to both worlds of a pair. */
interface Visit {
  readonly request: RawRequest
  /** Whether it is put again, with the entity tag that the first world gave. */
  readonly again: boolean
}

const mostly = <A>(usual: A, ...rare: ReadonlyArray<A>): fc.Arbitrary<A> =>
  fc.oneof({ weight: 9, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(...rare) })

const requestTo = (ask: Ask, method: string, encoding: string): RawRequest => {
  const { target, headers = [['Host', 'localhost']] } = requestOf(ask)
  // Without an id, each request would get one of its own.
  return { method, target, headers: [...headers, ['X-Request-Id', 'a-visitor'], ['Accept-Encoding', encoding]] }
}

/** What is asked of two worlds, chosen before they are known. */
const visitPlan: fc.Arbitrary<(worlds: WorldPair) => Visit> = fc
  .record({
    ask: arbitraries.curiousVisitorPlan,
    /** Whether the path is taken from the second world. */
    ofSecond: fc.boolean(),
    method: mostly('GET', 'HEAD'),
    encoding: mostly('identity', 'gzip', 'br'),
    again: fc.nat({ max: 3 }).map((nth) => nth === 0),
  })
  .map(({ ask, ofSecond, method, encoding, again }) => (worlds) => ({
    request: requestTo(arbitraries.askOf(worlds[ofSecond ? 1 : 0])(ask), method, encoding),
    again,
  }))

/** The conditional requests that follow from the first answers. */
const conditional = (visits: ReadonlyArray<Visit>, answers: ReadonlyArray<RawResponse>): ReadonlyArray<RawRequest> =>
  visits.flatMap(({ request, again }, index) => {
    const answer = answers[index]
    const etag = answer === undefined ? undefined : headerOf(answer, 'ETag')
    return again && etag !== undefined
      ? [{ ...request, headers: [...(request.headers ?? []), ['If-None-Match', etag] as const] }]
      : []
  })

/** All of an answer but the time of day. */
const bytesOf = ({ status, headers, body, complete }: RawResponse): string =>
  JSON.stringify([status, headers.filter(([name]) => name.toLowerCase() !== 'date'), body.toString('latin1'), complete])

const kindOf = ({ method }: RawRequest, response: RawResponse): string => {
  const { status, body } = response
  if (method === 'HEAD') return `${status} to HEAD`
  if (headerOf(response, 'Content-Encoding') !== undefined) return `${status} compressed`
  const text = body.toString()
  return status === 200 ? answerKind({ body: text }) : `${status} ${/"error":"([^"]*)"/.exec(text)?.[1] ?? ''}`.trim()
}

interface NonInterferenceOptions {
  /** How many pairs of worlds to compare. */
  readonly pairs: number
  /** Of fast-check: the same seed asks the same. */
  readonly seed: number
  /** Whether to look for the smallest pair when one is distinguished; the default is true. */
  readonly shrink?: boolean
}

/** What a service was asked, and whether a visitor could distinguish two worlds. */
export interface NonInterferenceReport {
  /** Its name. */
  readonly backend: string
  /** How many pairs of worlds were compared and not distinguished. */
  readonly pairs: number
  /** Pairs whose two worlds are not the same. */
  readonly differing: number
  /** To each world of a pair. */
  readonly requests: number
  /** How often each kind of answer came, of the first world of each pair. */
  readonly answers: Tally
  /** `none` when no pair was distinguished. */
  readonly interference: O.Option<Interference>
}

/** The smallest pair and request found; `seed` and `path` are fast-check's, for a replay. */
export interface Interference extends Distinguished {
  readonly seed: number
  readonly path: string
}

/** A request by which a visitor distinguishes two worlds. */
interface Distinguished {
  readonly worlds: WorldPair
  readonly request: RawRequest
  /** Each as JSON: status, headers, body as Latin-1, whether it was complete. */
  readonly answers: readonly [string, string]
}

/** What both worlds answer to the same requests, conditional ones with the entity tags of the first. */
const askBoth = async ({ open }: RawBackend, worlds: WorldPair, visits: ReadonlyArray<Visit>) => {
  const first = visits.map(({ request }) => request)
  const one = await open(worlds[0])
  const answers = await one.send(first)
  const requests = [...first, ...conditional(visits, answers)]
  const ofOne = [...answers, ...(await one.send(requests.slice(first.length)))]
  await one.close()
  const other = await open(worlds[1])
  const ofOther = await other.send(requests)
  await other.close()
  return requests.flatMap((request, index) => {
    const [left, right] = [ofOne[index], ofOther[index]]
    return left === undefined || right === undefined ? [] : [{ request, left, right }]
  })
}

/**
 * The law: what a visitor receives depends only on the settings and on the nodes that the visitor may see. Asks a
 * service about pairs of worlds which differ in nothing else, and compares status, headers and bytes.
 */
export const nonInterference = async (
  backend: RawBackend,
  { pairs, seed, shrink = true }: NonInterferenceOptions,
): Promise<NonInterferenceReport> => {
  let report = { backend: backend.name, pairs: 0, differing: 0, requests: 0, answers: {} as Tally }
  let smallest = O.none as O.Option<Distinguished>
  const plans = fc.array(visitPlan, { minLength: 1, maxLength: 7 })
  const property = fc.asyncProperty(plans, worldPair, async (planned, worlds) => {
    const asked = await askBoth(
      backend,
      worlds,
      planned.map((visit) => visit(worlds)),
    )
    for (const { request, left, right } of asked) {
      const answers = [bytesOf(left), bytesOf(right)] as const
      if (answers[0] === answers[1]) continue
      smallest = O.some({ worlds, request, answers })
      return false
    }
    // From the first failure on, fast-check only looks for a smaller one.
    if (O.isSome(smallest)) return true
    report = {
      ...report,
      pairs: report.pairs + 1,
      differing: report.differing + (isDeepStrictEqual(...worlds) ? 0 : 1),
      requests: report.requests + asked.length,
      answers: counted(
        report.answers,
        asked.map(({ request, left }) => kindOf(request, left)),
      ),
    }
    return true
  })
  const run = await fc.check(property, { numRuns: pairs, seed, endOnFailure: !shrink })
  // What fails without a difference is the backend, or this property itself.
  if (run.failed && O.isNone(smallest)) throw run.errorInstance
  const replayed = (distinguished: Distinguished): Interference => ({
    ...distinguished,
    seed: run.seed,
    path: run.counterexamplePath ?? '',
  })
  return { ...report, interference: O.map(replayed)(smallest) }
}
