import { Installation, Variable, withConfigFile } from '@canopy/installation'
import { sequenceS } from 'fp-ts/lib/Apply.js'
import * as E from 'fp-ts/lib/Either.js'
import { flow, pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as RR from 'fp-ts/lib/ReadonlyRecord.js'
import type { Address } from './http/listen.js'
import { trustedProxies } from './limits/failedLookups.js'

/** An hour, because nobody waits longer for a process to end. */
const hourMs = 3_600_000
const dayMs = 86_400_000
const million = 1_000_000
const maxInteger = Number.MAX_SAFE_INTEGER

/** `orZero` explains 0 if it has a meaning of its own. */
const wholeNumber = (
  name: string,
  fallback: number,
  [min, max]: readonly [number, number],
  unit: string,
  orZero = '',
) =>
  Variable.of(
    name,
    `${fallback}`,
    Variable.wholeNumber(
      min,
      max,
      `must be a whole number of ${unit}${max === maxInteger ? `, ${min} or more` : ` from ${min} to ${max}`}, such as ${fallback} (the default)${orZero}`,
    ),
  )

const onOrOff = (name: string, fallback: 'on' | 'off') => {
  const others = fallback === 'on' ? 'on (the default) or off' : 'on or off (the default)'
  return Variable.of(
    name,
    fallback,
    flow(
      Variable.text(/^(on|off)$/, `must be ${others}`),
      E.map((text) => text === 'on'),
    ),
  )
}

const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']

const settings = {
  /** A log level of pino. */
  logLevel: Variable.of(
    'CANOPY_LOG',
    'info',
    Variable.text(RegExp(`^(${levels.join('|')})$`), `must be one of ${levels.join(', ')}`),
  ),
  /** The node budget of one tree. */
  treeNodes: wholeNumber('CANOPY_TREE_NODES', 1_000_000, [1, maxInteger], 'nodes'),
  /** Memory for cached listings and responses, in bytes; 0 disables the caches. */
  cacheBytes: wholeNumber('CANOPY_CACHE_BYTES', 268_435_456, [0, maxInteger], 'bytes', ', or 0 to cache nothing'),
  /** How old an answer of a storage without change events may be, in milliseconds. */
  maxAgeMs: wholeNumber('CANOPY_MAX_AGE_MS', 0, [0, hourMs], 'milliseconds'),
  /** Memory for responses that clients have not read yet, in bytes, in one process; 0 for any amount. */
  unreadBytes: wholeNumber('CANOPY_UNREAD_BYTES', 134_217_728, [0, maxInteger], 'bytes', ', or 0 for no limit'),
  /** Tokens and trigger ids that a client may try without success in a minute, in one process; 0 for any number. */
  failedLookups: wholeNumber('CANOPY_FAILED_LOOKUPS', 60, [0, million], 'failures a minute', ', or 0 for no limit'),
  trustedProxies: Variable.of('CANOPY_TRUSTED_PROXIES', '', trustedProxies),
  /** Requests in work, in one process. */
  maxInFlight: wholeNumber('CANOPY_MAX_IN_FLIGHT', 128, [1, million], 'requests'),
  /** Connections open at once, in one process. */
  maxConnections: wholeNumber('CANOPY_MAX_CONNECTIONS', 10_000, [1, million], 'connections'),
  /** A connection without traffic is closed after this time, in milliseconds. */
  idleMs: wholeNumber('CANOPY_IDLE_MS', 65_000, [1_000, hourMs], 'milliseconds'),
  /** Limit on a whole response, including the time that its client takes to read it, in milliseconds. */
  answerMs: wholeNumber('CANOPY_ANSWER_MS', 3_600_000, [1_000, dayMs], 'milliseconds'),
  /** Processes that serve; `auto` for one on each processor. */
  workers: Variable.of(
    'CANOPY_WORKERS',
    '1',
    flow(
      Variable.text(
        /^(auto|[1-9][0-9]{0,2})$/,
        'must be a whole number of processes from 1 (the default) to 999, or auto for one per processor',
      ),
      E.map((workers) => (workers === 'auto' ? workers : Number(workers))),
    ),
  ),
  /** How long a stopping server still accepts new connections, in milliseconds. */
  drainMs: wholeNumber('CANOPY_DRAIN_MS', 0, [0, hourMs], 'milliseconds'),
  /** How long requests in flight then get to finish, in milliseconds. */
  stopMs: wholeNumber('CANOPY_STOP_MS', 30_000, [1, hourMs], 'milliseconds'),
  /** Whether the web page is served beside the operations. */
  explorer: onOrOff('CANOPY_EXPLORER', 'on'),
  /** Whether only this machine's own pages and programs may read. */
  loopbackOnly: onOrOff('CANOPY_LOOPBACK_ONLY', 'off'),
  /** Whether files are served beside the operations. */
  files: onOrOff('CANOPY_FILES', 'off'),
  /** Files and archives that are sent at the same time, in one process. */
  maxDownloads: wholeNumber('CANOPY_MAX_DOWNLOADS', 256, [1, million], 'downloads'),
  /** Metrics are served on this port; without it they are off. */
  metricsPort: Variable.of('CANOPY_METRICS_PORT', '', (text) =>
    text === ''
      ? E.right(O.none)
      : pipe(
          text,
          Variable.wholeNumber(
            0,
            65_535,
            'must be a whole number from 0 to 65535, such as 9464, or unset for no metrics (the default)',
          ),
          E.map(O.some),
        ),
  ),
  metricsHost: Variable.of(
    'CANOPY_METRICS_HOST',
    '127.0.0.1',
    Variable.text(
      /^[A-Za-z0-9._:%-]+$/,
      'must be a host name or an IP address without brackets, such as 127.0.0.1 (the default) or ::1',
    ),
  ),
}

const endpoint = (name: string) =>
  Variable.of(
    name,
    '',
    E.fromPredicate(
      // An "@" or "#" after the host may belong to a password that is not encoded, and would be shown as the host.
      (url) => url === '' || (/^https?:\/\/[^/?#]+([/?][^@#]*)?$/i.test(url) && URL.canParse(url)),
      () => 'must be a URL such as http://localhost:4318, or unset',
    ),
  )

const protocol = (name: string) =>
  Variable.of(name, '', Variable.text(/^(http\/json)?$/, 'must be http/json, the only supported protocol, or unset'))

/** Variables of OpenTelemetry. An empty one counts as unset. Its SDK reads all others. */
const tracing = {
  disabled: Variable.of('OTEL_SDK_DISABLED', '', Variable.text(/^(true|false)?$/i, 'must be true, false, or unset')),
  endpoint: endpoint('OTEL_EXPORTER_OTLP_ENDPOINT'),
  tracesEndpoint: endpoint('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'),
  protocol: protocol('OTEL_EXPORTER_OTLP_PROTOCOL'),
  tracesProtocol: protocol('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'),
}

export interface ObserveConfig {
  /** The address for metrics; `none` if they are off. */
  readonly metrics: O.Option<Address>
  /** The URL for traces by OTLP over HTTP, as JSON. Never show it, because it may contain a password. */
  readonly traces: O.Option<string>
}

/** The configuration of the server. */
export interface Config extends Omit<Variable.Values<typeof settings>, 'metricsPort' | 'metricsHost'>, ObserveConfig {
  readonly installation: Installation.Installation
  /** Unknown variables with our prefix, most likely mistyped. */
  readonly unknown: ReadonlyArray<string>
}

/** Returns `none` without an endpoint, or if tracing is disabled. Its other variables are then ignored. */
const tracesIn = (variables: Variable.Variables): E.Either<Variable.Problems, ObserveConfig['traces']> => {
  const isSet = ({ name }: Variable.Variable<unknown>): boolean => (variables[name] ?? '') !== ''
  const isNamed = isSet(tracing.endpoint) || isSet(tracing.tracesEndpoint)
  if (!isNamed || /^true$/i.test(variables[tracing.disabled.name] ?? '')) return E.right(O.none)
  return pipe(
    Variable.readAll(tracing, variables),
    E.map(({ endpoint, tracesEndpoint }) =>
      O.some(tracesEndpoint === '' ? `${endpoint.replace(/\/$/, '')}/v1/traces` : tracesEndpoint),
    ),
  )
}

/** Reports whether a server on the one host occupies its port on the other. `::` is all addresses of both kinds. */
const includes = (one: string, other: string): boolean =>
  one === other || one === '::' || (one === '0.0.0.0' && !other.includes(':'))

const isClash = ({ installation: { host, port }, metrics }: Config): boolean =>
  O.isSome(metrics) &&
  port !== 0 &&
  port === metrics.value.port &&
  !Installation.isSocket(host) &&
  (includes(host, metrics.value.host) || includes(metrics.value.host, host))

/** The variables of this file with their defaults. */
const fallbacks: ReadonlyMap<string, string> = new Map(
  [...Object.values(settings), ...Object.values(tracing)].map(({ name, fallback }) => [name, fallback]),
)

/** Every variable of the server. */
const names: ReadonlySet<string> = new Set(['CANOPY_CONFIG', ...Installation.names, ...fallbacks.keys()])

export const mistyped = (name: string): string => `unknown variable ${name} (is it misspelled?)`

/** Parses the configuration. `left` names every problem at once. Relative paths are resolved against `cwd`. */
export const fromVariables = (cwd: string, variables: Variable.Variables): E.Either<Variable.Problems, Config> => {
  const unknown = Object.keys(variables).filter((name) => name.startsWith('CANOPY_') && !names.has(name))
  return pipe(
    sequenceS(Variable.everyProblem)({
      installation: Installation.fromVariables(cwd, variables),
      own: Variable.readAll(settings, variables),
      traces: tracesIn(variables),
    }),
    E.map(({ installation, own: { metricsHost: host, metricsPort: port, ...own }, traces }) => ({
      ...own,
      installation,
      metrics: pipe(
        port,
        O.map((port) => ({ host, port })),
      ),
      traces,
      unknown,
    })),
    E.filterOrElse(
      (config: Config) => !isClash(config),
      (): Variable.Problems => ['CANOPY_METRICS_PORT must differ from CANOPY_PORT'],
    ),
    E.mapLeft((problems) => [...problems, ...unknown.map(mistyped)]),
  )
}

/**
 * The configuration, and the variables from which a worker reads the same configuration in any directory. They include the
 * variables of the configuration file that the server knows. A worker inherits the environment.
 */
export interface Configured {
  readonly config: Config
  readonly variables: Variable.Variables
}

/** Reads the environment and the file that `CANOPY_CONFIG` names. `left` names every problem at once. */
export const read = (cwd: string, environment: Variable.Variables): E.Either<Variable.Problems, Configured> =>
  pipe(
    E.Do,
    E.bind('variables', () => withConfigFile(cwd, environment)),
    E.bind('config', ({ variables }) => fromVariables(cwd, variables)),
    E.map(({ variables, config }) => ({
      config,
      variables: {
        ...RR.filterWithIndex((name: string) => names.has(name))(variables),
        CANOPY_CONFIG: undefined,
        ...Installation.toVariables(config.installation),
      },
    })),
  )
