import { inspect } from 'node:util'
import {
  type Area,
  type AreaOfTokenEnv,
  type AreaOfUserEnv,
  type Entry,
  Failure,
  type Listing,
  type NodeAtEnv,
  type SettingsOfEnv,
  type StoragePath,
  type TriggerOfEnv,
} from '@canopy/domain'
import { type ListWhileEnv, singleFlight } from '@canopy/storage-fs'
import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import { LRUCache } from 'lru-cache'
import type { Metrics } from './observe/prometheus.js'

/** Everything the five operations need. */
export type Ports = AreaOfTokenEnv & AreaOfUserEnv & SettingsOfEnv & NodeAtEnv & ListWhileEnv & TriggerOfEnv

type FailureOf<Port extends keyof Ports> =
  ReturnType<Ports[Port]> extends TE.TaskEither<infer F extends Failure.Failure, unknown> ? F['error'] : never

/** The failures that each port may answer with. */
export const portFailures: { readonly [Port in keyof Ports]: { readonly [Name in FailureOf<Port>]: null } } = {
  areaOfToken: { 'invalid token': null, 'not verified': null, external: null },
  areaOfUser: { 'permission denied': null, external: null },
  settingsOf: { external: null },
  nodeAt: { 'file not found': null, 'type mismatch': null, external: null },
  list: { 'file not found': null, 'type mismatch': null, external: null },
  triggerOf: { 'trigger not found': null, external: null },
}

/** A call of a port: which one, and what it is asked. */
export type Call = {
  readonly [Port in keyof Ports]: { readonly port: Port; readonly asked: Parameters<Ports[Port]> }
}[keyof Ports]

/** What any port answers. */
export type Answered = TE.TaskEither<Failure.Failure, object>

/** Asks a port each time that it is run. */
export const ask =
  (ports: Ports, { port, asked }: Call): Answered =>
  () =>
    (ports[port] as (...asked: Call['asked']) => Answered)(...asked)()

/** Ports each call of which is answered in one way, which must give what the port itself may give. */
export const answeredBy = (answer: (call: Call) => Answered): Ports => {
  const by =
    (port: keyof Ports) =>
    (...asked: Call['asked']) =>
      answer({ port, asked } as Call)
  return Object.fromEntries(
    Object.keys(portFailures).map((port) => [port, by(port as keyof Ports)]),
  ) as unknown as Ports
}

/** Runs a call of a port and answers what it answers, or `external`. Each run asks the port again. */
export type Around = (call: Call, run: Answered) => Answered

/** The same ports, every call of which runs inside `around`. */
export const aroundPorts = (ports: Ports, around: Around): Ports => answeredBy((call) => around(call, ask(ports, call)))

/**
 * A call that throws, rejects or gives no answer within `timeoutMs` milliseconds answers `external`, with the cause. What
 * comes later is dropped; the call itself cannot be cancelled. `leftMs` is less where some of the time is gone.
 */
export const inTime =
  <F, A>(
    what: string,
    timeoutMs: number,
    call: TE.TaskEither<F, A>,
    leftMs = timeoutMs,
  ): TE.TaskEither<F | Failure.External, A> =>
  () =>
    new Promise((resolve) => {
      const settle = (answer: E.Either<F | Failure.External, A>): void => {
        clearTimeout(timer)
        resolve(answer)
      }
      const fail = (cause: unknown): void => settle(E.left(Failure.external(cause)))
      const timer = setTimeout(() => fail(new Error(`${what} gave no answer within ${timeoutMs} ms`)), leftMs).unref()
      const thrown = (thrown: unknown): void =>
        fail(thrown instanceof Error ? thrown : new Error(`${what} threw ${inspect(thrown, { depth: 0 })}`))
      try {
        call().then(settle, thrown)
      } catch (caught) {
        thrown(caught)
      }
    })

/** The same ports, each call of which answers {@link inTime}. */
export const guardPorts = (ports: Ports, timeoutMs: number): Ports =>
  aroundPorts(ports, ({ port }, run) => inTime(port, timeoutMs, run))

/** Whether its client has left: an abandoned reading is no failure of the storage. */
const isGivenUp = ({ port, asked }: Call): boolean => port === 'list' && asked[3]?.aborted === true

/** The same ports, which report how long they took, how they failed, and what they left out. They must neither throw nor hang. */
export const measurePorts = (ports: Ports, metrics: Metrics): Ports => {
  const list: Ports['list'] =
    (...asked) =>
    async () => {
      const answer = await ports.list(...asked)()
      if (E.isRight(answer)) metrics.gaveListing(answer.right)
      return answer
    }
  return aroundPorts({ ...ports, list }, (call, run) => async () => {
    const started = performance.now()
    const answer = await run()
    const failure = E.isLeft(answer) && !isGivenUp(call) ? answer.left.error : 'none'
    metrics.portAnswered(call.port, (performance.now() - started) / 1000, failure)
    return answer
  })
}

/** When the storage was asked for a value that is given again, by `performance.now()`. */
const timeAskedFor = new WeakMap<object, number>()

interface PortsOfRequestOptions {
  /** The request waits for no listing after this signal. */
  readonly waiting: () => AbortSignal
  /** The storage gave what it was asked for at this time, by `performance.now()`. */
  readonly gaveOlder: (askedAt: number) => void
  /** Whether the request may wait for what is there. */
  readonly mayRead: (area: Area.Area, path: StoragePath.StoragePath) => boolean
}

const crowded = E.left(Failure.external(new Error('too many requests wait for the same area or mount')))

/** The same ports for one request. */
export const portsOfRequest = (ports: Ports, { waiting, gaveOlder, mayRead }: PortsOfRequestOptions): Ports => {
  const reportingAge = async <F, A extends object>(call: TE.TaskEither<F, A>): Promise<E.Either<F, A>> => {
    const answer = await call()
    const askedAt = E.isRight(answer) ? timeAskedFor.get(answer.right) : undefined
    if (askedAt !== undefined) gaveOlder(askedAt)
    return answer
  }
  return {
    ...ports,
    nodeAt: (area, path) => async () => (mayRead(area, path) ? reportingAge(ports.nodeAt(area, path)) : crowded),
    list: (area, path, parent) => async () =>
      mayRead(area, path) ? reportingAge(ports.list(area, path, parent, waiting())) : crowded,
  }
}

/** Of the answers of a storage that may be given again: how old they may be, in milliseconds, and how much memory they take. */
interface MaxAge {
  readonly ms: number
  readonly bytes: number
}

// As measured: an answer, and an entry of a listing.
const answerBytes = 400
const entryBytes = 250

/** Asks once for all that wait for the answer to a question, and gives it again as long as it is not too old. */
const sharing = <F, A extends object>({ ms, bytes }: MaxAge, lengthOf: (a: A) => number) => {
  const shared = singleFlight<E.Either<F, A>>()
  const given = new LRUCache<string, E.Right<A>>({
    ttl: Math.max(ms, 1),
    maxSize: Math.max(bytes, 1),
    sizeCalculation: ({ right }) => answerBytes + entryBytes * lengthOf(right),
  })
  const work = (key: string, ask: TE.TaskEither<F, A>) => {
    const askedAt = performance.now()
    const answer = ask().then((found) => {
      if (ms > 0 && E.isRight(found)) {
        timeAskedFor.set(found.right, askedAt)
        given.set(key, found, { ttl: ms - (performance.now() - askedAt) })
      }
      return found
    })
    return { answer, end: answer }
  }
  return async (
    key: string,
    ask: (abandoned: AbortSignal) => TE.TaskEither<F, A>,
    waiting?: AbortSignal,
  ): Promise<E.Either<F, A>> => given.get(key) ?? shared(key, (abandoned) => work(key, ask(abandoned)), waiting)
}

/** An area that must be a mount point is external where another area at the same location is not. */
const keyOf = ({ location, isMountPoint }: Area.Area, path: StoragePath.StoragePath): string =>
  `${isMountPoint === true}\0${location}\0${path}`

const listingNumbers = new WeakMap<Listing.Listing, number>()
let lastListingNumber = 0

/** Identifies a listing in a key: two walks share a directory only below the same listing. */
const numberOf = (listing: Listing.Listing): number => {
  const known = listingNumbers.get(listing)
  if (known !== undefined) return known
  lastListingNumber += 1
  listingNumbers.set(listing, lastListingNumber)
  return lastListingNumber
}

/** Only directories for which this is not `undefined` are shared. */
type SharedWhere = (area: Area.Area, path: StoragePath.StoragePath) => unknown

/**
 * The same storage, which is asked once for all requests that wait for the same answer: one question runs and one waits, for
 * those that came after it began. It is given up when the last of them has gone. For what has no change events: an answer
 * is given again only within `maxAge`.
 */
export const shareStorage = <Storage extends NodeAtEnv & ListWhileEnv>(
  storage: Storage,
  maxAge: MaxAge,
  where: SharedWhere = () => true,
): Storage => {
  const nodes = sharing<Failure.OfStorage, Entry.Node>(maxAge, () => 0)
  const listings = sharing<Failure.OfStorage, Listing.Listing>(maxAge, ({ entries }) => entries.length)
  const nodeAt: NodeAtEnv['nodeAt'] = (area, path) =>
    where(area, path) === undefined
      ? storage.nodeAt(area, path)
      : () => nodes(keyOf(area, path), () => storage.nodeAt(area, path))
  const list: ListWhileEnv['list'] = (area, path, parent, waiting) =>
    where(area, path) === undefined
      ? storage.list(area, path, parent, waiting)
      : () =>
          listings(
            `${parent === undefined ? 'directory' : numberOf(parent)}\0${keyOf(area, path)}`,
            (abandoned) => storage.list(area, path, parent, abandoned),
            waiting,
          )
  return { ...storage, nodeAt, list }
}
