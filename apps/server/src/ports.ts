import { inspect } from 'node:util'
import {
  type Area,
  type AreaOfTokenEnv,
  type AreaOfUserEnv,
  type Entry,
  Failure,
  type ListEnv,
  type Listing,
  type ListOptions,
  type NodeAtEnv,
  type SettingsOfEnv,
  type Signal,
  type StoragePath,
  type TriggerOfEnv,
} from '@canopy/domain'
import { singleFlight } from '@canopy/scheduling'
import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import { LRUCache } from 'lru-cache'
import type { Metrics } from './observe/prometheus.js'

/** Everything the five operations need. */
export type Ports = AreaOfTokenEnv & AreaOfUserEnv & SettingsOfEnv & NodeAtEnv & ListEnv & TriggerOfEnv

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

/** A time-out that progress restarts. */
export interface Deadline {
  /** In milliseconds; less than the time-out if some of it has passed. */
  readonly leftMs?: number
  /** Set while the call runs. */
  restart?: (() => void) | undefined
}

/**
 * A call that throws, rejects or does not settle within `timeoutMs` milliseconds answers `external`, with the cause. A later
 * result is dropped; the call itself cannot be cancelled.
 */
export const inTime =
  <F, A>(
    what: string,
    timeoutMs: number,
    call: TE.TaskEither<F, A>,
    deadline: Deadline = {},
  ): TE.TaskEither<F | Failure.External, A> =>
  () =>
    new Promise((resolve) => {
      const settle = (answer: E.Either<F | Failure.External, A>): void => {
        clearTimeout(timer)
        deadline.restart = undefined
        resolve(answer)
      }
      const fail = (cause: unknown): void => settle(E.left(Failure.external(cause)))
      const failLate = (): void => fail(new Error(`${what} gave no answer within ${timeoutMs} ms`))
      let timer = setTimeout(failLate, deadline.leftMs ?? timeoutMs).unref()
      deadline.restart = () => {
        clearTimeout(timer)
        timer = setTimeout(failLate, timeoutMs).unref()
      }
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

/** A call whose client has left did not fail because of the storage. */
const isCancelled = ({ port, asked }: Call): boolean => port === 'list' && asked[2]?.signal?.aborted === true

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
    const failure = E.isLeft(answer) && !isCancelled(call) ? answer.left.error : 'none'
    metrics.portAnswered(call.port, (performance.now() - started) / 1000, failure)
    return answer
  })
}

/** When the storage was asked for a value that is given again, by `performance.now()`. */
const timeAskedFor = new WeakMap<object, number>()

interface PortsOfRequestOptions {
  /** The storage gave what it was asked for at this time, by `performance.now()`. */
  readonly gaveOlder: (askedAt: number) => void
  /** Whether the request may wait for what is there. */
  readonly mayRead: (area: Area.Area, path: StoragePath.StoragePath) => boolean
  /** The storage gave a page that another page follows. */
  readonly gavePage: () => void
}

const crowded = E.left(Failure.external(new Error('too many requests wait for the same area or mount')))

/** The same ports for one request. */
export const portsOfRequest = (ports: Ports, { gaveOlder, mayRead, gavePage }: PortsOfRequestOptions): Ports => {
  const reportingAge = async <F, A extends object>(call: TE.TaskEither<F, A>): Promise<E.Either<F, A>> => {
    const answer = await call()
    const askedAt = E.isRight(answer) ? timeAskedFor.get(answer.right) : undefined
    if (askedAt !== undefined) gaveOlder(askedAt)
    return answer
  }
  return {
    ...ports,
    nodeAt: (area, path) => async () => (mayRead(area, path) ? reportingAge(ports.nodeAt(area, path)) : crowded),
    list: (area, path, options) => async () => {
      const answer = mayRead(area, path) ? await reportingAge(ports.list(area, path, options)) : crowded
      if (E.isRight(answer) && answer.right.next !== undefined) gavePage()
      return answer
    },
  }
}

/** Bounds of the storage answers that are kept for later requests. */
interface MaxAge {
  /** In milliseconds; 0 keeps none. */
  readonly ms: number
  readonly bytes: number
}

// Measured sizes of an answer, and of an entry of a listing.
const answerBytes = 400
const entryBytes = 250

/** The earliest time, by `performance.now()`, of an answer that may be used for this area. */
type NotBefore = (area: Area.Area) => number

interface Sharing<F, A> {
  readonly key: string
  readonly area: Area.Area
  readonly ask: (signal: Signal) => TE.TaskEither<F, A>
  readonly signal?: Signal | undefined
}

/** One call in flight for all concurrent requests; an answer that is young enough serves later requests too. */
const sharing = <F, A extends object>({ ms, bytes }: MaxAge, notBefore: NotBefore, lengthOf: (a: A) => number) => {
  const shared = singleFlight<E.Either<F, A>>()
  const kept = new LRUCache<string, E.Right<A>>({
    ttl: Math.max(ms, 1),
    maxSize: Math.max(bytes, 1),
    sizeCalculation: ({ right }) => answerBytes + entryBytes * lengthOf(right),
  })
  const work = (key: string, ask: TE.TaskEither<F, A>) => {
    const askedAt = performance.now()
    const answer = ask().then((found) => {
      if (ms > 0 && E.isRight(found)) {
        timeAskedFor.set(found.right, askedAt)
        kept.set(key, found, { ttl: ms - (performance.now() - askedAt) })
      }
      return found
    })
    return { answer, end: answer }
  }
  const usable = (key: string, area: Area.Area): E.Right<A> | undefined => {
    const found = kept.get(key)
    return found !== undefined && (timeAskedFor.get(found.right) ?? 0) >= notBefore(area) ? found : undefined
  }
  return async ({ key, area, ask, signal }: Sharing<F, A>): Promise<E.Either<F, A>> =>
    usable(key, area) ?? shared(key, (abandoned) => work(key, ask(abandoned)), signal)
}

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

/** Everything that decides an answer of the storage. */
const keyOf = (
  { location, isMountPoint }: Area.Area,
  path: StoragePath.StoragePath,
  { after, minEntries, parent }: ListOptions = {},
): string => JSON.stringify([location, isMountPoint, path, after, minEntries, parent && numberOf(parent)])

interface ShareOptions {
  /** Only directories for which this is not `undefined` are shared; all by default. */
  readonly where?: (area: Area.Area, path: StoragePath.StoragePath) => unknown
  readonly notBefore?: NotBefore
}

/**
 * The same storage with one call in flight for all concurrent requests of the same thing; later requests share the next
 * call. A call is cancelled when its last client leaves. For storages without change events: an answer serves later requests
 * only within `maxAge`, and only if it is not older than the settings of its area.
 */
export const shareStorage = <S extends NodeAtEnv & ListEnv>(
  storage: S,
  maxAge: MaxAge,
  { where = () => true, notBefore = () => 0 }: ShareOptions = {},
): S => {
  const nodes = sharing<Failure.OfStorage, Entry.Node>(maxAge, notBefore, () => 0)
  const listings = sharing<Failure.OfStorage, Listing.Listing>(maxAge, notBefore, ({ entries }) => entries.length)
  const nodeAt: NodeAtEnv['nodeAt'] = (area, path) =>
    where(area, path) === undefined
      ? storage.nodeAt(area, path)
      : () => nodes({ key: keyOf(area, path), area, ask: () => storage.nodeAt(area, path) })
  const list: ListEnv['list'] = (area, path, options = {}) =>
    where(area, path) === undefined
      ? storage.list(area, path, options)
      : () =>
          listings({
            key: keyOf(area, path, options),
            area,
            ask: (signal) => storage.list(area, path, { ...options, signal }),
            signal: options.signal,
          })
  return { ...storage, nodeAt, list }
}
