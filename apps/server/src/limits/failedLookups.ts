import type { IncomingMessage } from 'node:http'
import { HttpError, type Route } from '@canopy/http'
import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import ipaddr from 'ipaddr.js'
import { LRUCache } from 'lru-cache'
import proxyAddr from 'proxy-addr'
import type { HttpResponse } from '../http/HttpResponse.js'

/** Whether the proxy at this address may name its client by `X-Forwarded-For`. A client of a unix socket has no address. */
export type TrustedProxies = (address: string | undefined, hop: number) => boolean

export const wantedProxies =
  'must be addresses or ranges separated by commas, such as 127.0.0.1,10.0.0.0/8, or unix for a proxy on a unix socket'

/** Removes the port that some proxies add, and the brackets around an IPv6 address. */
const withoutPort = (address: string): string =>
  /^\[(.*)\](?::\d+)?$/.exec(address)?.[1] ?? /^([\d.]+):\d+$/.exec(address)?.[1] ?? address

const compiled = (text: string): TrustedProxies => {
  const parts = text.split(',').map((part) => part.trim())
  const trusts = proxyAddr.compile(parts.filter((part) => part !== '' && part !== 'unix'))
  return (address, hop) => (address === undefined ? parts.includes('unix') : trusts(withoutPort(address), hop))
}

/** Reads addresses and ranges with commas between them, such as `127.0.0.1, 10.0.0.0/8`, `loopback` or `unix`. */
export const trustedProxies = (text: string): E.Either<string, TrustedProxies> =>
  E.tryCatch(
    () => compiled(text),
    () => wantedProxies,
  )

/** Counts the 2^64 addresses of an IPv6 network as one client. All other text is one client too, because it may be long. */
const networkOf = (address: string): string => {
  if (!ipaddr.isValid(address)) return 'unknown'
  // 8 bytes are the network of an IPv6 address, and more than a whole IPv4 address.
  return ipaddr.process(address).toByteArray().slice(0, 8).join('.')
}

/** Returns the client whose failed look-ups are counted. All clients of an untrusted unix socket are one. */
export const clientOf = (trusted: TrustedProxies, request: IncomingMessage): string => {
  const address: string | undefined = proxyAddr(request, trusted)
  return address === undefined ? 'unix' : networkOf(withoutPort(address))
}

type ResponseTask = TE.TaskEither<HttpError.HttpError, HttpResponse>

/**
 * Limits how often a client may try tokens and trigger ids that do not exist. A token is always looked up, so that a broken
 * client blocks no valid token from the same address; beyond the limit its failure is `too many requests`. A trigger id may be
 * guessable, so it is not looked up beyond the limit.
 */
export type LimitLookups = (
  request: IncomingMessage,
  secret: Exclude<Route.Credential, 'user id'>,
  respond: ResponseTask,
) => ResponseTask

export const unlimited: LimitLookups = (_, __, respond) => respond

const minuteMs = 60_000

/** Takes some 27 MB. The client with the oldest last failure is evicted. */
const maxClients = 100_000

const isFailedLookup = (result: E.Either<HttpError.HttpError, HttpResponse>): boolean =>
  E.isLeft(result) && (result.left.error === 'invalid token' || result.left.error === 'trigger not found')

interface LookupLimits {
  /** Failures a minute for each client, in this process; 0 for no limit. */
  readonly perMinute: number
  readonly trustedProxies: TrustedProxies
}

/** Measures the minute by a monotonic clock, so that setting the machine's clock changes no limit. */
export const failedLookups = ({ perMinute, trustedProxies }: LookupLimits): LimitLookups => {
  if (perMinute === 0) return unlimited
  const failures = new LRUCache<string, number>({
    // With `max` the cache would allocate memory for all entries at once.
    maxSize: maxClients,
    sizeCalculation: () => 1,
    ttl: minuteMs,
    perf: performance,
  })

  /** Whole seconds until the client may fail again. */
  const waitSeconds = (client: string): number =>
    (failures.get(client) ?? 0) < perMinute ? 0 : Math.max(0, Math.ceil(failures.getRemainingTTL(client) / 1000))

  const count = (client: string): void => {
    // The minute begins with the first failure.
    const isRunning = failures.getRemainingTTL(client) > 0
    failures.set(client, isRunning ? (failures.get(client) ?? 0) + 1 : 1, { noUpdateTTL: isRunning })
  }

  return (request, secret, respond) => async () => {
    // Computing the client costs as much as the look-up itself.
    if (secret === 'trigger' && failures.size > 0) {
      const wait = waitSeconds(clientOf(trustedProxies, request))
      if (wait > 0) return E.left(HttpError.tooManyRequests(wait))
    }
    const result = await respond()
    if (!isFailedLookup(result)) return result
    const client = clientOf(trustedProxies, request)
    const wait = waitSeconds(client)
    count(client)
    return wait > 0 ? E.left(HttpError.tooManyRequests(wait)) : result
  }
}
