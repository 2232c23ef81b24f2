import type { Route } from '@canopy/http'
import { oncePerTick } from '@canopy/scheduling'
import * as E from 'fp-ts/lib/Either.js'
import { LRUCache } from 'lru-cache'
import type { BytesResponse } from './http/HttpResponse.js'
import type { Check } from './Recording.js'
import { withTimeout } from './timeout.js'

/** A fully buffered response, and the matched route. */
export interface CacheableResponse {
  readonly match: Route.Match
  readonly response: BytesResponse
}

interface CachedResponse extends CacheableResponse {
  /** Repeats all port calls. Resolves to true if each returns the same as for this response. */
  readonly isFresh: () => Promise<boolean>
}

/** Responses by request target and representation. Before the server sends one, it repeats every port call. */
export interface ResponseCache {
  readonly find: (key: string) => CachedResponse | undefined
  /** Caches a response with the checks of its port calls. A response without checks is not cached. */
  readonly store: (key: string, response: CacheableResponse, checks: ReadonlyArray<Check> | undefined) => void
}

// Measured: beside the body, its compressed forms and the key.
const checkOverhead = 512
const responseOverhead = 4096

/** An estimate, including both compressed forms. Those of random names together take as much as the body, not half. */
const sizeOf = (key: string, { response }: CacheableResponse, checks: ReadonlyArray<Check>): number =>
  Math.ceil(responseOverhead + key.length * 8 + response.body.bytes.length * 1.5 + checks.length * checkOverhead)

/**
 * A check is useless if it fails and the rebuilt response has the same body, for example for a directory that cannot be watched.
 * After this number in a row, the key is not cached for a while.
 */
const maxUselessChecks = 2
const pauseMs = 60_000
const maxPaused = 10_000

/** If a check takes longer, in milliseconds, the response is built again. */
const checkMs = 5_000

const allHold = async (checks: ReadonlyArray<Check>): Promise<boolean> => {
  const run = async () => E.right(await Promise.all(checks.map((check) => check())))
  const result = await withTimeout('a check', checkMs, run)()
  return E.isRight(result) && result.right.every((holds) => holds)
}

class Cached implements CachedResponse {
  readonly match: Route.Match
  readonly response: BytesResponse
  isStale = false
  /** Consecutive useless checks. */
  uselessChecks: number
  readonly #check: () => Promise<boolean>

  constructor({ match, response }: CacheableResponse, checks: ReadonlyArray<Check>, uselessChecks: number) {
    this.match = match
    this.response = response
    this.uselessChecks = uselessChecks
    this.#check = oncePerTick(() => allHold(checks))
  }

  async isFresh(): Promise<boolean> {
    if (this.isStale || !(await this.#check())) this.isStale = true
    else this.uselessChecks = 0
    return !this.isStale
  }
}

const hasSameBody = (
  { response: { body: one } }: CacheableResponse,
  { response: { body: other } }: CacheableResponse,
) => (one.etag === undefined ? one.bytes.equals(other.bytes) : one.etag === other.etag)

const uselessSoFar = (before: Cached | undefined, next: CacheableResponse): number => {
  if (before === undefined) return 0
  if (!before.isStale) return before.uselessChecks
  return hasSameBody(before, next) ? before.uselessChecks + 1 : 0
}

/** Returns a cache of at most `maxBytes`, which evicts the least recently used response. 0 disables it. */
export const responseCache = (maxBytes: number): ResponseCache => {
  if (maxBytes === 0) return { find: () => undefined, store: () => undefined }
  const cache = new LRUCache<string, Cached>({ maxSize: maxBytes })
  const paused = new LRUCache<string, true>({
    max: maxPaused,
    maxSize: Math.ceil(maxBytes / 8),
    sizeCalculation: (_, { length }) => length,
    ttl: pauseMs,
  })
  return {
    find: (key) => cache.get(key),
    store: (key, response, checks) => {
      if (checks === undefined || paused.has(key)) return
      const uselessChecks = uselessSoFar(cache.peek(key), response)
      if (uselessChecks >= maxUselessChecks) {
        cache.delete(key)
        paused.set(key, true)
      } else cache.set(key, new Cached(response, checks, uselessChecks), { size: sizeOf(key, response, checks) })
    },
  }
}
