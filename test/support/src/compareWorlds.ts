import {
  answerKind,
  arbitraries,
  headerOf,
  type RawRequest,
  type RawResponse,
  target,
  type World,
} from '@canopy/testkit'
import * as fc from 'fast-check'
import * as O from 'fp-ts/lib/Option.js'
import type { WorldPair } from './worldPair.js'

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

/** What is asked of two worlds, chosen before they are known. */
export const visitPlan: fc.Arbitrary<(worlds: WorldPair) => Visit> = fc
  .record({
    ask: arbitraries.curiousVisitorPlan,
    /** Whether the path is taken from the second world. */
    ofSecond: fc.boolean(),
    method: mostly('GET', 'HEAD'),
    encoding: mostly('identity', 'gzip', 'br'),
    again: fc.nat({ max: 3 }).map((nth) => nth === 0),
  })
  .map(({ ask, ofSecond, method, encoding, again }) => (worlds) => ({
    request: {
      method,
      target: target(arbitraries.askOf(worlds[ofSecond ? 1 : 0])(ask)),
      headers: [
        ['Host', 'localhost'],
        // Otherwise each request has one of its own.
        ['X-Request-Id', 'a-visitor'],
        ['Accept-Encoding', encoding],
      ],
    },
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

/** A request by which a visitor tells two worlds apart. */
export interface ToldApart {
  readonly worlds: WorldPair
  readonly request: RawRequest
  /** Each as JSON: status, headers, body as Latin-1, whether it was complete. */
  readonly answers: readonly [string, string]
}

interface Compared {
  /** What sort of answer each request had in the first world. */
  readonly kinds: ReadonlyArray<string>
  readonly toldApart: O.Option<ToldApart>
}

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

/** Puts the same requests to both worlds, conditional ones with the entity tags of the first. */
export const compareWorlds = async (
  { open }: RawBackend,
  worlds: WorldPair,
  visits: ReadonlyArray<Visit>,
): Promise<Compared> => {
  const first = visits.map(({ request }) => request)
  const one = await open(worlds[0])
  const answers = await one.send(first)
  const second = conditional(visits, answers)
  const ofOne = [...answers, ...(await one.send(second))]
  await one.close()
  const other = await open(worlds[1])
  const ofOther = [...(await other.send(first)), ...(await other.send(second))]
  await other.close()
  const asked = [...first, ...second].flatMap((request, index) => {
    const [left, right] = [ofOne[index], ofOther[index]]
    return left === undefined || right === undefined
      ? []
      : [{ worlds, request, kind: kindOf(request, left), answers: [bytesOf(left), bytesOf(right)] as const }]
  })
  const toldApart = asked.find(({ answers: [left, right] }) => left !== right)
  return { kinds: asked.map(({ kind }) => kind), toldApart: O.fromNullable(toldApart) }
}
