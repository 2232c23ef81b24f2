import { everyProblem, Installation, problemsOf, variable, wholeNumber, withConfigFile } from '@canopy/installation'
import { sequenceS } from 'fp-ts/lib/Apply.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as t from 'io-ts'
import { noProxies, type TrustedProxies, trustedProxies, wantedProxies } from './limits/failedLookups.js'
import * as ObserveConfig from './observe/ObserveConfig.js'

/** The configuration of the server. */
export interface Config {
  readonly installation: Installation.Installation
  /** A level of pino's. */
  readonly logLevel: string
  /** The node budget of one tree. */
  readonly treeNodes: number
  /** Memory for cached listings and answers, in bytes; 0 caches none. */
  readonly cacheBytes: number
  /** How old an answer of a storage without change events may be, in milliseconds. */
  readonly maxAgeMs: number
  /** Memory for answers that clients have not read yet, in bytes, in one process; 0 for any amount. */
  readonly unreadBytes: number
  /** Tokens and trigger ids that a client may try without success in a minute, in one process; 0 for any number. */
  readonly failedLookups: number
  readonly trustedProxies: TrustedProxies
  /** Requests that are worked on or queued, in one process. */
  readonly maxInFlight: number
  /** Connections open at once, in one process. */
  readonly maxConnections: number
  /** A connection on which nothing moves is closed after this time, in milliseconds. */
  readonly idleMs: number
  /** Processes that answer; `auto` for one on each processor. */
  readonly workers: number | 'auto'
  /** How long a stopping server still accepts new connections, in milliseconds. */
  readonly drainMs: number
  /** How long it then gives requests in flight, in milliseconds. */
  readonly stopMs: number
  /** Whether the web page is served beside the operations. */
  readonly explorer: boolean
  readonly observe: ObserveConfig.ObserveConfig
  /** Variables whose names begin as ours do and that the server does not know: mistyped, most likely. */
  readonly unknown: ReadonlyArray<string>
}

/** Longer than anyone waits for a process to end, in milliseconds. */
const longestMs = 3_600_000

const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']

const codec = t.type({
  CANOPY_LOG: variable('LogLevel', (text) => levels.includes(text), `must be one of ${levels.join(', ')}`),
  CANOPY_TREE_NODES: wholeNumber(
    'TreeNodes',
    1,
    Number.MAX_SAFE_INTEGER,
    'must be a whole number of nodes from 1, such as 1000000 (the default)',
  ),
  CANOPY_CACHE_BYTES: wholeNumber(
    'CacheBytes',
    0,
    Number.MAX_SAFE_INTEGER,
    'must be a whole number of bytes, such as 268435456 (the default), or 0 to cache nothing',
  ),
  CANOPY_MAX_AGE_MS: wholeNumber(
    'MaxAgeMs',
    0,
    longestMs,
    `must be a whole number of milliseconds up to ${longestMs}, or 0 (the default) to ask the storage for each answer`,
  ),
  CANOPY_UNREAD_BYTES: wholeNumber(
    'UnreadBytes',
    0,
    Number.MAX_SAFE_INTEGER,
    'must be a whole number of bytes, such as 134217728 (the default), or 0 for any amount',
  ),
  CANOPY_FAILED_LOOKUPS: wholeNumber(
    'FailedLookups',
    0,
    1_000_000,
    'must be a whole number of failures a minute, such as 60 (the default), or 0 for no limit',
  ),
  CANOPY_TRUSTED_PROXIES: variable('TrustedProxies', (text) => E.isRight(trustedProxies(text)), wantedProxies),
  CANOPY_MAX_IN_FLIGHT: wholeNumber(
    'MaxInFlight',
    1,
    1_000_000,
    'must be a whole number of requests from 1, such as 128 (the default)',
  ),
  CANOPY_MAX_CONNECTIONS: wholeNumber(
    'MaxConnections',
    1,
    1_000_000,
    'must be a whole number of connections from 1, such as 10000 (the default)',
  ),
  CANOPY_IDLE_MS: wholeNumber(
    'IdleMs',
    1_000,
    longestMs,
    `must be a whole number of milliseconds from 1000 to ${longestMs}, such as 65000 (the default)`,
  ),
  CANOPY_WORKERS: variable(
    'Workers',
    (text) => /^(auto|[1-9][0-9]{0,2})$/.test(text),
    'must be a whole number of processes from 1 (the default) to 999, or auto for one on each processor',
  ),
  CANOPY_DRAIN_MS: wholeNumber(
    'DrainMs',
    0,
    longestMs,
    `must be a whole number of milliseconds up to ${longestMs}, such as 5000, or 0 (the default)`,
  ),
  CANOPY_STOP_MS: wholeNumber(
    'StopMs',
    1,
    longestMs,
    `must be a whole number of milliseconds from 1 to ${longestMs}, such as 30000 (the default)`,
  ),
  CANOPY_EXPLORER: variable('Explorer', (text) => text === 'on' || text === 'off', 'must be on (the default) or off'),
})

const defaults = {
  CANOPY_LOG: 'info',
  CANOPY_TREE_NODES: '1000000',
  CANOPY_CACHE_BYTES: '268435456',
  CANOPY_MAX_AGE_MS: '0',
  CANOPY_UNREAD_BYTES: '134217728',
  CANOPY_FAILED_LOOKUPS: '60',
  CANOPY_TRUSTED_PROXIES: '',
  CANOPY_MAX_IN_FLIGHT: '128',
  CANOPY_MAX_CONNECTIONS: '10000',
  CANOPY_IDLE_MS: '65000',
  CANOPY_WORKERS: '1',
  CANOPY_DRAIN_MS: '0',
  CANOPY_STOP_MS: '30000',
  CANOPY_EXPLORER: 'on',
}

const ownFromVariables = (variables: Installation.Variables) =>
  pipe(
    { ...defaults, ...variables },
    codec.decode,
    E.bimap(problemsOf, (read) => ({
      logLevel: read.CANOPY_LOG,
      treeNodes: read.CANOPY_TREE_NODES,
      cacheBytes: read.CANOPY_CACHE_BYTES,
      maxAgeMs: read.CANOPY_MAX_AGE_MS,
      unreadBytes: read.CANOPY_UNREAD_BYTES,
      failedLookups: read.CANOPY_FAILED_LOOKUPS,
      trustedProxies: pipe(
        trustedProxies(read.CANOPY_TRUSTED_PROXIES),
        E.getOrElse(() => noProxies),
      ),
      maxInFlight: read.CANOPY_MAX_IN_FLIGHT,
      maxConnections: read.CANOPY_MAX_CONNECTIONS,
      idleMs: read.CANOPY_IDLE_MS,
      workers: read.CANOPY_WORKERS === 'auto' ? ('auto' as const) : Number(read.CANOPY_WORKERS),
      drainMs: read.CANOPY_DRAIN_MS,
      stopMs: read.CANOPY_STOP_MS,
      explorer: read.CANOPY_EXPLORER === 'on',
    })),
  )

const known = new Set(['CANOPY_CONFIG', ...Installation.names, ...ObserveConfig.names, ...Object.keys(codec.props)])

const unknownIn = (variables: Installation.Variables): ReadonlyArray<string> =>
  Object.keys(variables).filter((name) => name.startsWith('CANOPY_') && !known.has(name))

/** Whether who listens on the one host has its ports on the other too; `::` is all addresses of both kinds. */
const coincide = (one: string, other: string): boolean =>
  one.toLowerCase() === other.toLowerCase() ||
  one === '::' ||
  other === '::' ||
  (one === '0.0.0.0' && !other.includes(':')) ||
  (other === '0.0.0.0' && !one.includes(':'))

const isClash = ({ host, port }: Installation.Installation, { metrics }: ObserveConfig.ObserveConfig): boolean =>
  O.isSome(metrics) &&
  port !== 0 &&
  metrics.value.port === port &&
  !Installation.isSocket(host) &&
  coincide(host, metrics.value.host)

/** Two addresses that are valid each may still clash. */
const withoutClash = (
  installation: E.Either<unknown, Installation.Installation>,
  observe: E.Either<unknown, ObserveConfig.ObserveConfig>,
): E.Either<ReadonlyArray<string>, void> =>
  E.isRight(installation) && E.isRight(observe) && isClash(installation.right, observe.right)
    ? E.left(['CANOPY_METRICS_PORT must be another port than CANOPY_PORT: only one can listen on it'])
    : E.right(undefined)

/** `left` names every problem at once. Relative paths are resolved against `cwd`. */
export const fromVariables = (
  cwd: string,
  variables: Installation.Variables,
): E.Either<ReadonlyArray<string>, Config> => {
  const installation = Installation.fromVariables(cwd, variables)
  const observe = ObserveConfig.fromVariables(variables)
  return pipe(
    sequenceS(everyProblem)({
      installation,
      own: ownFromVariables(variables),
      observe,
      clash: withoutClash(installation, observe),
    }),
    E.map((read) => ({
      installation: read.installation,
      ...read.own,
      observe: read.observe,
      unknown: unknownIn(variables),
    })),
  )
}

/** The configuration, and the variables that a worker process reads the same configuration from, wherever it is started. */
export interface Configured {
  readonly config: Config
  readonly variables: Installation.Variables
}

/**
 * Reads the environment and the file that `CANOPY_CONFIG` names. `left` names every problem at once.
 */
export const read = (cwd: string, environment: Installation.Variables): E.Either<ReadonlyArray<string>, Configured> =>
  pipe(
    withConfigFile(cwd, environment),
    E.flatMap((variables) =>
      pipe(
        fromVariables(cwd, variables),
        E.map((config) => ({
          config,
          variables: { ...variables, CANOPY_CONFIG: undefined, ...Installation.toVariables(config.installation) },
        })),
      ),
    ),
  )
