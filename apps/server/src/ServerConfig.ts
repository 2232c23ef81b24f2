import { Installation, problemsOf, variable, wholeNumber } from '@canopy/installation'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import * as t from 'io-ts'
import { nobody, proxiesWanted, type TrustedProxies, trustedProxies } from './defence/clientAddress.js'

/** Everything the server is told from outside. */
export interface ServerConfig {
  readonly installation: Installation.Installation
  /** A level of pino's. */
  readonly logLevel: string
  /** The node budget of one tree. */
  readonly treeNodes: number
  /** Tokens and trigger ids that a client may try in vain in a minute; 0 for any number. */
  readonly failedLookups: number
  readonly trustedProxies: TrustedProxies
  /** Requests worked on at once, in one process. */
  readonly maxInFlight: number
  /** Connections open at once, in one process. */
  readonly maxConnections: number
}

const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']

const codec = t.type({
  CANOPY_LOG: variable('LogLevel', (text) => levels.includes(text), `must be one of ${levels.join(', ')}`),
  CANOPY_TREE_NODES: wholeNumber(
    'TreeNodes',
    1,
    Number.MAX_SAFE_INTEGER,
    'must be a whole number of nodes from 1, such as 1000000 (the default)',
  ),
  CANOPY_FAILED_LOOKUPS: wholeNumber(
    'FailedLookups',
    0,
    1_000_000,
    'must be a whole number of failures a minute, such as 60 (the default), or 0 for no limit',
  ),
  CANOPY_TRUSTED_PROXIES: variable('TrustedProxies', (text) => E.isRight(trustedProxies(text)), proxiesWanted),
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
})

const defaults = {
  CANOPY_LOG: 'info',
  CANOPY_TREE_NODES: '1000000',
  CANOPY_FAILED_LOOKUPS: '60',
  CANOPY_TRUSTED_PROXIES: '',
  CANOPY_MAX_IN_FLIGHT: '128',
  CANOPY_MAX_CONNECTIONS: '10000',
}

const ownFromVariables = (variables: Installation.Variables) =>
  pipe(
    { ...defaults, ...variables },
    codec.decode,
    E.bimap(problemsOf, (read) => ({
      logLevel: read.CANOPY_LOG,
      treeNodes: Number(read.CANOPY_TREE_NODES),
      failedLookups: Number(read.CANOPY_FAILED_LOOKUPS),
      trustedProxies: pipe(
        trustedProxies(read.CANOPY_TRUSTED_PROXIES),
        E.getOrElse(() => nobody),
      ),
      maxInFlight: Number(read.CANOPY_MAX_IN_FLIGHT),
      maxConnections: Number(read.CANOPY_MAX_CONNECTIONS),
    })),
  )

const everyProblem = E.getApplicativeValidation(RA.getSemigroup<string>())

/** `left` names every problem at once. Relative paths are taken from `cwd`. */
export const fromVariables = (
  cwd: string,
  variables: Installation.Variables,
): E.Either<ReadonlyArray<string>, ServerConfig> =>
  pipe(
    Installation.fromVariables(cwd, variables),
    E.map((installation) => (own: Omit<ServerConfig, 'installation'>) => ({ installation, ...own })),
    (partial) => everyProblem.ap(partial, ownFromVariables(variables)),
  )
