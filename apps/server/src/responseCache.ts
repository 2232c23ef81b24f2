import { isDeepStrictEqual } from 'node:util'
import { endOfTick } from '@canopy/scheduling'
import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import { LRUCache } from 'lru-cache'
import type { BytesAnswer } from './http/answers.js'
import { answeredBy, ask, type Call, inTime, type Ports } from './ports.js'
import type { Asked, Route } from './routes.js'

/** An answer in one piece, and what was asked. */
export interface Given {
  readonly route: Route
  readonly asked: Asked
  readonly answer: BytesAnswer
}

interface CachedAnswer extends Given {
  /** Whether every port gives now what it gave when the answer was made. */
  readonly isCurrent: () => Promise<boolean>
}

/** Answers by request target. Each is checked before it is sent: every port is asked again. */
export interface ResponseCache {
  readonly find: (target: string) => CachedAnswer | undefined
  /** Caches an answer with all that the ports were asked for it; not where that cannot be checked again. */
  readonly store: (target: string, given: Given, lookups: ReadonlyArray<Lookup> | undefined) => void
}

/** A call of a port: whether it is answered now as it was then. */
export type Lookup = () => Promise<boolean>

/** A node is small and made each time: it is compared. */
const isEqual =
  (call: TE.TaskEither<unknown, object>, gave: object): Lookup =>
  async () =>
    E.exists((found) => isDeepStrictEqual(found, gave))(await call())

/** Ports that are unchanged give the same object, and the weak reference keeps none alive. */
const isSame =
  (call: TE.TaskEither<unknown, object>, known: WeakRef<object>): Lookup =>
  async () => {
    const found = await call()
    return E.isRight(found) && found.right === known.deref()
  }

/** The question without the options of this request, which the cache would keep alive. */
const withoutOptions = ({ port, asked }: Call): Call => ({ port, asked: asked.slice(0, 2) }) as Call

// A closure made here would keep all parameters alive.
const lookup = (ports: Ports, call: Call, gave: object): Lookup =>
  call.port === 'nodeAt' ? isEqual(ask(ports, call), gave) : isSame(ask(ports, call), new WeakRef(gave))

/** Building an answer is cheaper than more look-ups. */
const maxLookups = 256

interface Recording {
  readonly ports: Ports
  /** All calls so far; `undefined` if one failed, if a value changed, or if there are too many to repeat. */
  readonly lookups: () => ReadonlyArray<Lookup> | undefined
}

interface Recorded {
  readonly call: Call
  readonly gave: object
}

/** The ports of one request, which record their calls. A check asks the ports in `again`. */
export const recordLookups = (ports: Ports, again: Ports): Recording => {
  const ofRegistry = new Map<string, Recorded>()
  const ofStorage: Array<Recorded> = []
  let canBeChecked = true
  const record = (call: Call, gave: object): void => {
    if (call.port === 'nodeAt' || call.port === 'list') {
      ofStorage.push({ call, gave })
      if (call.port === 'list' && 'next' in gave && gave.next !== undefined) canBeChecked = false
    } else {
      // The registry is asked the same again after each answer of the storage.
      const key = `${call.port} ${call.asked[0]}`
      const before = ofRegistry.get(key)
      if (before === undefined) ofRegistry.set(key, { call, gave })
      else if (before.gave !== gave) canBeChecked = false
    }
    if (ofRegistry.size + ofStorage.length > maxLookups) canBeChecked = false
  }
  return {
    ports: answeredBy((call) => async () => {
      const answer = await ask(ports, call)()
      if (E.isLeft(answer)) canBeChecked = false
      else if (canBeChecked) record(call, answer.right)
      return answer
    }),
    lookups: () =>
      canBeChecked
        ? [...ofRegistry.values(), ...ofStorage].map(({ call, gave }) => lookup(again, withoutOptions(call), gave))
        : undefined,
  }
}

const lookupBytes = 512
const answerBytes = 4096

/** With its compressed forms; an estimate, on the high side. */
const bytesOf = (target: string, { answer }: Given, lookups: ReadonlyArray<Lookup>): number =>
  Math.ceil(answerBytes + target.length * 8 + answer.body.bytes.length * 1.5 + lookups.length * lookupBytes)

/**
 * A check is wasted when it fails and the new answer is the same: some port gives a new value each time, as for a directory
 * that cannot be watched. After a few in a row the target is not cached for a while.
 */
const mostWastedChecks = 2
const pauseMs = 60_000
const mostPaused = 10_000

interface Cached extends CachedAnswer {
  isStale: boolean
  /** In a row. */
  wastedChecks: number
}

/** How long a check may take, in milliseconds: an answer that cannot be checked by then is made again. */
const checkMs = 5_000

const allHold = async (lookups: ReadonlyArray<Lookup>): Promise<boolean> => {
  const ask = async () => E.right(await Promise.all(lookups.map((lookup) => lookup())))
  const answered = await inTime('a check', checkMs, ask)()
  return E.isRight(answered) && answered.right.every((holds) => holds)
}

const cachedAnswer = (given: Given, lookups: ReadonlyArray<Lookup>, wastedChecks: number): Cached => {
  let checking: Promise<boolean> | undefined
  const check = async (): Promise<boolean> => {
    checking = undefined
    const current = await allHold(lookups)
    if (current) cached.wastedChecks = 0
    else cached.isStale = true
    return current
  }
  const cached: Cached = {
    ...given,
    isStale: false,
    wastedChecks,
    // At the end of the tick, for all that ask in it: so the check begins after each of them asked.
    isCurrent: () => {
      if (cached.isStale) return Promise.resolve(false)
      checking ??= endOfTick().then(check)
      return checking
    },
  }
  return cached
}

const saysTheSame = ({ answer: { body: one } }: Given, { answer: { body: other } }: Given): boolean =>
  one.etag === undefined ? one.bytes.equals(other.bytes) : one.etag === other.etag

const wastedSoFar = (before: Cached | undefined, given: Given): number => {
  if (before === undefined) return 0
  if (!before.isStale) return before.wastedChecks
  return saysTheSame(before, given) ? before.wastedChecks + 1 : 0
}

/** Least recently used out; 0 bytes cache nothing. */
export const responseCache = (maxBytes: number): ResponseCache => {
  if (maxBytes === 0) return { find: () => undefined, store: () => undefined }
  const cache = new LRUCache<string, Cached>({ maxSize: maxBytes })
  const paused = new LRUCache<string, true>({
    max: mostPaused,
    maxSize: Math.ceil(maxBytes / 8),
    sizeCalculation: (_, { length }) => length,
    ttl: pauseMs,
  })
  return {
    find: (target) => cache.get(target),
    store: (target, given, lookups) => {
      if (lookups === undefined || paused.has(target)) return
      const wastedChecks = wastedSoFar(cache.peek(target), given)
      if (wastedChecks >= mostWastedChecks) {
        cache.delete(target)
        paused.set(target, true)
      } else cache.set(target, cachedAnswer(given, lookups, wastedChecks), { size: bytesOf(target, given, lookups) })
    },
  }
}
