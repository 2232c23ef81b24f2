import { isDeepStrictEqual } from 'node:util'
import { type StoragePath, visitorMayRequest } from '@canopy/domain'
import {
  type Ask,
  answerKind,
  arbitraries,
  counted,
  headerOf,
  type RawRequest,
  type RawResponse,
  requestOf,
  settingsOf,
  type Tally,
  type World,
  type WorldAccount,
  type WorldNode,
} from '@canopy/testkit'
import * as fc from 'fast-check'
import * as O from 'fp-ts/lib/Option.js'

export interface RawBackend {
  readonly name: string
  readonly open: (world: World) => Promise<OpenRawBackend>
}

interface OpenRawBackend {
  readonly send: (requests: ReadonlyArray<RawRequest>) => Promise<ReadonlyArray<RawResponse>>
  readonly close: () => Promise<void>
}

type WorldPair = readonly [World, World]

/** Removes the nodes that no visitor may see. For an invisible area, toggles whether the root exists. */
const visibleOf = (account: WorldAccount): WorldAccount => {
  const { area, verified } = account
  const settings = settingsOf(account)
  if (!verified || account.settings.every(({ visibility }) => visibility === 'private'))
    return { ...account, area: area === 'missing' ? [] : 'missing' }
  const visible = (nodes: ReadonlyArray<WorldNode>, parent: string): ReadonlyArray<WorldNode> =>
    nodes.flatMap((node): ReadonlyArray<WorldNode> => {
      const path = `${parent}/${node.name}`
      const isReached = visitorMayRequest(settings, path as StoragePath.StoragePath)
      if (node.type === 'file') return isReached ? [node] : []
      // Links and special files do not exist for clients.
      if (node.type !== 'dir') return []
      const content = visible(node.content, path)
      if (isReached) return [{ ...node, content }]
      // A private directory above a visible node stays. Visitors cannot see its time.
      return content.length === 0 ? [] : [{ ...node, last_modified: node.last_modified ^ 1n, content }]
    })
  return { ...account, area: area === 'missing' ? area : visible(area, '') }
}

/** A service might mix up two accounts. */
const accounts = fc.uniqueArray(arbitraries.worldAccount(), { minLength: 1, maxLength: 2, selector: ({ id }) => id })

/** A world, and the same world without invisible nodes. If all such pairs are alike, so are all worlds with the same visible nodes. */
const worldPair: fc.Arbitrary<WorldPair> = accounts.map((all) => [
  { accounts: all, triggers: [] },
  { accounts: all.map(visibleOf), triggers: [] },
])

interface Visit {
  readonly request: RawRequest
  /** Whether to repeat it with the entity tag of the first world. */
  readonly again: boolean
}

const mostly = <A>(usual: A, ...rare: ReadonlyArray<A>): fc.Arbitrary<A> =>
  fc.oneof({ weight: 9, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(...rare) })

const requestTo = (ask: Ask, method: string, encoding: string): RawRequest => {
  const { target, headers = [['Host', 'localhost']] } = requestOf(ask)
  // Otherwise each request would get a new id.
  return { method, target, headers: [...headers, ['X-Request-Id', 'a-visitor'], ['Accept-Encoding', encoding]] }
}

/** Requests that are chosen before the worlds. */
const visitPlan: fc.Arbitrary<(worlds: WorldPair) => Visit> = fc
  .record({
    ask: arbitraries.curiousVisitorPlan,
    ofSecond: fc.boolean(),
    method: mostly('GET', 'HEAD'),
    encoding: mostly('identity', 'gzip', 'br'),
    again: fc.nat({ max: 3 }).map((nth) => nth === 0),
  })
  .map(({ ask, ofSecond, method, encoding, again }) => (worlds) => ({
    request: requestTo(arbitraries.askOf(worlds[ofSecond ? 1 : 0])(ask), method, encoding),
    again,
  }))

const conditional = (visits: ReadonlyArray<Visit>, answers: ReadonlyArray<RawResponse>): ReadonlyArray<RawRequest> =>
  visits.flatMap(({ request, again }, index) => {
    const answer = answers[index]
    const etag = answer === undefined ? undefined : headerOf(answer, 'ETag')
    return again && etag !== undefined
      ? [{ ...request, headers: [...(request.headers ?? []), ['If-None-Match', etag] as const] }]
      : []
  })

/** The whole response without its date. */
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
  readonly pairs: number
  readonly seed: number
  /** Whether to search for the smallest distinguished pair; true by default. */
  readonly shrink?: boolean
}

interface Distinguished {
  readonly worlds: WorldPair
  readonly request: RawRequest
  /** Each as JSON. */
  readonly answers: readonly [string, string]
}

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

/** Compares the bytes of responses to visitors over pairs of worlds that differ only in invisible nodes. */
export const nonInterference = async (backend: RawBackend, { pairs, seed, shrink = true }: NonInterferenceOptions) => {
  /** `pairs` were not distinguished, `differing` of them are two worlds, and `answers` counts the kinds of responses. */
  let report = { pairs: 0, differing: 0, requests: 0, answers: {} as Tally }
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
    // After the first failure, fast-check searches for a smaller one.
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
  // Otherwise the backend or this property failed.
  if (run.failed && O.isNone(smallest)) throw run.errorInstance
  // They replay the run in fast-check.
  const replay = { seed: run.seed, path: run.counterexamplePath ?? '' }
  const replayed = (distinguished: Distinguished) => ({ ...distinguished, ...replay })
  return { ...report, interference: O.map(replayed)(smallest) }
}
