import { inspect } from 'node:util'
import {
  type Area,
  type AreaOfTokenEnv,
  type AreaOfUserEnv,
  type Entry,
  Failure,
  type ListEnv,
  type Listing,
  Name,
  type NodeAtEnv,
  type SettingsOfEnv,
  StoragePath,
  type TriggerOfEnv,
  TriggerValue,
  U64,
  UserId,
  Visibility,
} from '@canopy/domain'
import { singleFlight, slices } from '@canopy/storage-fs'
import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import { LRUCache } from 'lru-cache'
import type { RefusalName } from './http/Refusal.js'
import type { Metrics } from './observe/Metrics.js'

/** `list`, and a signal that no one waits for the listing any more: a storage may stop reading then. */
export interface ListWhileEnv extends ListEnv {
  readonly list: (
    area: Area.Area,
    path: StoragePath.StoragePath,
    parent?: Listing.Listing,
    waiting?: AbortSignal,
  ) => ReturnType<ListEnv['list']>
}

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

type Is = (u: unknown) => boolean
/** In slices, where there may be much to look at. */
type IsInTime = (u: unknown) => boolean | Promise<boolean>
/** So many are looked at within a millisecond. */
const partLength = 2048

type Fields = Readonly<Record<string, unknown>>

const hasFields = (u: unknown): u is Fields => typeof u === 'object' && u !== null

/** What ports give does not change, and is given again and again: each value is looked at once. */
const once = <A extends object, R extends boolean | Promise<boolean>>(is: (a: A) => R): ((a: A) => R) => {
  const known = new WeakMap<A, R>()
  return (a) => {
    const found = known.get(a) ?? is(a)
    known.set(a, found)
    return found
  }
}

const isKnownArea = once((u: Fields): boolean => UserId.is(u['owner']) && typeof u['location'] === 'string')

const isArea: Is = (u) => hasFields(u) && isKnownArea(u)

const isKnownGrant = once((u: Fields): boolean => isArea(u['area']) && StoragePath.is(u['scope']))

const isGrant: Is = (u) => hasFields(u) && isKnownGrant(u)

const visibilities: ReadonlySet<unknown> = new Set(Visibility.all)

const isVisibility = (u: unknown): boolean => visibilities.has(u)

const areVisibilities = once((settings: ReadonlyMap<unknown, unknown>): boolean => {
  for (const each of settings.values()) if (!isVisibility(each)) return false
  return true
})

const areVisibilitiesInTime = once(async (settings: ReadonlyMap<unknown, unknown>): Promise<boolean> => {
  const sliceEnd = slices()
  let looked = 0
  for (const each of settings.values()) {
    if (!isVisibility(each)) return false
    looked += 1
    if (looked % partLength === 0) await sliceEnd()
  }
  return true
})

/**
 * An unknown visibility is not `private` either: let through, it would open its path. There may be a million; few
 * are looked at without a promise, or time would distinguish an account that has some from none.
 */
const isSettings: IsInTime = (u) =>
  u instanceof Map && (u.size <= partLength ? areVisibilities(u) : areVisibilitiesInTime(u))

const isNode: Is = (u) =>
  hasFields(u) && U64.is(u['last_modified']) && (u['type'] === 'dir' || (u['type'] === 'file' && U64.is(u['size'])))

const isEntry: Is = (u) => isNode(u) && hasFields(u) && Name.is(u['name'])

/** An array, or what counts and gives its entries in the same way. */
interface Many extends Iterable<unknown> {
  readonly length: number
}

const hasMany = (u: unknown): u is Many =>
  hasFields(u) && typeof u['length'] === 'number' && typeof Reflect.get(u, Symbol.iterator) === 'function'

const areAll = async (is: Is, all: Many): Promise<boolean> => {
  const sliceEnd = slices()
  let looked = 0
  for (const each of all) {
    if (looked % partLength === 0) await sliceEnd()
    looked += 1
    if (!is(each)) return false
  }
  return looked === all.length
}

const areEntries: IsInTime = (u) => hasMany(u) && 'at' in u && typeof u.at === 'function' && areAll(isEntry, u)

const areUnknown: IsInTime = (u) =>
  u === undefined || (hasFields(u) && Array.isArray(u['names']) && areAll(Name.is, u['names']))

const isKnownListing = once(
  async ({ unlistable, unknown, entries }: Fields): Promise<boolean> =>
    typeof unlistable === 'number' && (await areUnknown(unknown)) && areEntries(entries),
)

const isListing: IsInTime = (u) => hasFields(u) && isKnownListing(u)

/** Sent as it is: what is no JSON would make the whole answer none. */
const isTriggerValue: Is = TriggerValue.codec.is

const isEither =
  (failures: object, isRight: IsInTime): IsInTime =>
  (u) =>
    hasFields(u) &&
    (u['_tag'] === 'Right'
      ? isRight(u['right'])
      : u['_tag'] === 'Left' && hasFields(u['left']) && Object.hasOwn(failures, String(u['left']['error'])))

/** Whether what a port gave is one of its answers, as far as a look at each field can tell: order and wholeness are for laws. */
export const portAnswers: { readonly [Port in keyof Ports]: IsInTime } = {
  areaOfToken: isEither(portFailures.areaOfToken, isGrant),
  areaOfUser: isEither(portFailures.areaOfUser, isArea),
  settingsOf: isEither(portFailures.settingsOf, isSettings),
  nodeAt: isEither(portFailures.nodeAt, isNode),
  list: isEither(portFailures.list, isListing),
  triggerOf: isEither(portFailures.triggerOf, isTriggerValue),
}

interface Named {
  readonly error: RefusalName
}

/** Runs a call of a port and answers what it answers. Each run of the call asks the port again. */
export type Around = <F extends Named, A extends object>(
  port: keyof Ports,
  call: TE.TaskEither<F | Failure.External, A>,
) => TE.TaskEither<F | Failure.External, A>

/** The same ports, every call of which runs inside `around`. */
export const aroundPorts = (ports: Ports, around: Around): Ports => ({
  areaOfToken: (token) => around('areaOfToken', () => ports.areaOfToken(token)()),
  areaOfUser: (user) => around('areaOfUser', () => ports.areaOfUser(user)()),
  settingsOf: (owner) => around('settingsOf', () => ports.settingsOf(owner)()),
  nodeAt: (area, path) => around('nodeAt', () => ports.nodeAt(area, path)()),
  list: (area, path, parent, waiting) => around('list', () => ports.list(area, path, parent, waiting)()),
  triggerOf: (id) => around('triggerOf', () => ports.triggerOf(id)()),
})

const external = (cause: Error): E.Either<Failure.External, never> => E.left(Failure.external(cause))

const settled = async <F, A>(
  port: keyof Ports,
  call: TE.TaskEither<F, A>,
): Promise<E.Either<F | Failure.External, A>> => {
  try {
    const found = await call()
    return (await portAnswers[port](found)) ? found : external(new Error(`${port} gave what is none of its answers`))
  } catch (thrown) {
    return external(thrown instanceof Error ? thrown : new Error(`${port} threw ${inspect(thrown, { depth: 0 })}`))
  }
}

/** What comes after the time is up is dropped; the call itself cannot be taken back. */
export const inTime =
  <F, A>(what: string, timeoutMs: number, call: TE.TaskEither<F, A>): TE.TaskEither<F | Failure.External, A> =>
  () =>
    new Promise((resolve, reject) => {
      const late = (): void => resolve(external(new Error(`${what} gave no answer within ${timeoutMs} ms`)))
      const timer = setTimeout(late, timeoutMs).unref()
      const settle =
        <B>(settled: (b: B) => void) =>
        (b: B): void => {
          clearTimeout(timer)
          settled(b)
        }
      call().then(settle(resolve), settle(reject))
    })

/**
 * The same ports, held to their contract: one that throws, rejects, gives what is none of its answers, or gives none
 * within `timeoutMs` milliseconds, answers `external` with the cause.
 */
export const guardPorts = (ports: Ports, timeoutMs: number): Ports =>
  aroundPorts(ports, (port, call) => inTime(port, timeoutMs, () => settled(port, call)))

/** The same ports, which report how long they took, how they failed, and what they left out. They must neither throw nor hang. */
export const measurePorts = (ports: Ports, metrics: Metrics): Ports => {
  const list: Ports['list'] = (area, path, parent, waiting) => async () => {
    const answer = await ports.list(area, path, parent, waiting)()
    if (E.isLeft(answer)) return answer
    const { unlistable, unknown } = answer.right
    if (unlistable > 0) metrics.sawUnlistable(unlistable)
    if (unknown !== undefined) metrics.sawUnknown(unknown.names.length)
    return answer
  }
  return aroundPorts({ ...ports, list }, (port, call) => async () => {
    const started = performance.now()
    const answer = await call()
    metrics.portAnswered(port, (performance.now() - started) / 1000, E.isLeft(answer) ? answer.left.error : 'none')
    return answer
  })
}

/** When the question was asked to which a storage gave this value, by `performance.now()`: of those that are given again. */
const askedAt = new WeakMap<object, number>()

export interface PortsOfRequestOptions {
  /** The request waits for no listing after this signal. */
  readonly waiting: () => AbortSignal | undefined
  /** The storage gave what it was asked for at this time, by `performance.now()`. */
  readonly gaveOlder: (asked: number) => void
}

/** The same ports for one request. */
export const portsOfRequest = (ports: Ports, { waiting, gaveOlder }: PortsOfRequestOptions): Ports => {
  const noticed = async <F, A extends object>(call: TE.TaskEither<F, A>): Promise<E.Either<F, A>> => {
    const answer = await call()
    const asked = E.isRight(answer) ? askedAt.get(answer.right) : undefined
    if (asked !== undefined) gaveOlder(asked)
    return answer
  }
  return {
    ...ports,
    nodeAt: (area, path) => () => noticed(ports.nodeAt(area, path)),
    list: (area, path, parent) => () => noticed(ports.list(area, path, parent, waiting())),
  }
}

/** Of the answers of a storage that may be given again: how old they may be, in milliseconds, and how much memory they take. */
export interface MaxAge {
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
  return async (
    key: string,
    ask: (abandoned: AbortSignal) => TE.TaskEither<F, A>,
    waiting?: AbortSignal,
  ): Promise<E.Either<F, A>> => {
    const known = ms === 0 ? undefined : given.get(key)
    if (known !== undefined) return known
    return shared(
      key,
      (abandoned) => {
        const asked = performance.now()
        const answer = ask(abandoned)().then((found) => {
          if (ms > 0 && E.isRight(found)) {
            askedAt.set(found.right, asked)
            given.set(key, found, { ttl: ms - (performance.now() - asked) })
          }
          return found
        })
        return { answer, end: answer }
      },
      waiting,
    )
  }
}

const keyOf = ({ location }: Area.Area, path: StoragePath.StoragePath): string => `${location}\0${path}`

/**
 * The same storage, which is asked once for all requests that wait for the same answer: one question runs and one waits, for
 * those that came after it began. It is given up when the last of them has gone. For storage without change events: an answer
 * of it is given again only within `maxAge`.
 */
export const shareStorage = <Storage extends NodeAtEnv & ListWhileEnv>(storage: Storage, maxAge: MaxAge): Storage => {
  const nodes = sharing<Failure.OfStorage, Entry.Node>(maxAge, () => 0)
  const listings = sharing<Failure.OfStorage, Listing.Listing>(maxAge, ({ entries }) => entries.length)
  const nodeAt: NodeAtEnv['nodeAt'] = (area, path) => () => nodes(keyOf(area, path), () => storage.nodeAt(area, path))
  const list: ListWhileEnv['list'] = (area, path, parent, waiting) => () =>
    listings(
      `${parent === undefined ? 'directory' : 'tree'}\0${keyOf(area, path)}`,
      (abandoned) => storage.list(area, path, parent, abandoned),
      waiting,
    )
  return { ...storage, nodeAt, list }
}
