import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Logger } from 'pino'
import type { ObserveConfig } from '../config.js'
import type { ConnectionOptions, OnMalformed } from '../http/connections.js'
import type { Address } from '../http/listen.js'
import { lineASecond } from './log.js'
import type * as MetricsServer from './metricsServer.js'
import type { Tracing } from './openTelemetry.js'
import type { Metrics } from './prometheus.js'

// prom-client and OpenTelemetry are imported on demand: a server without them does not load them.

const loaded = <A>(load: () => Promise<A>): TE.TaskEither<string, A> =>
  TE.tryCatch(load, (thrown) => `cannot observe: ${thrown instanceof Error ? thrown.message : String(thrown)}`)

/** `undefined` without a configuration. */
const wanted = <Config, A>(config: O.Option<Config>, open: (config: Config) => TE.TaskEither<string, A>) =>
  pipe(config, O.traverse(TE.ApplicativeSeq)(open), TE.map(O.toUndefined))

const exposing =
  <A extends { readonly url: string | undefined }>(
    exposedBy: (module: typeof MetricsServer) => (address: Address) => TE.TaskEither<string, A>,
  ) =>
  ({ metrics }: ObserveConfig, log: Logger): TE.TaskEither<string, A | undefined> =>
    wanted(metrics, (address) =>
      pipe(
        loaded(() => import('./metricsServer.js')),
        TE.flatMap((module) => exposedBy(module)(address)),
        TE.tapIO(({ url }) => () => {
          if (url !== undefined) log.info({ url: `${url}/metrics` }, 'metrics')
        }),
      ),
    )

/** Serves metrics. `left` is for the operator. */
export const openMetrics = exposing(({ exposeMetrics }) => exposeMetrics)

/** In the primary: serves the metrics of all workers on one port. */
export const openMetricsOfWorkers = exposing(({ exposeWorkers }) => exposeWorkers)

/** Sends traces. `left` is for the operator. */
export const openTracing = ({ traces }: ObserveConfig, log: Logger): TE.TaskEither<string, Tracing | undefined> =>
  wanted(traces, (url) =>
    pipe(
      loaded(() => import('./openTelemetry.js')),
      TE.flatMap(({ openTelemetry }) => loaded(async () => openTelemetry(url, log))),
    ),
  )

interface Observing {
  readonly metrics?: Metrics
}

/** Counts refused connections, and logs the reason once. */
export const reportRefused = (
  log: Logger,
  { metrics }: Observing,
  { maxConnections }: Pick<ConnectionOptions, 'maxConnections'>,
): ((open: number) => void) => {
  let isReported = false
  return (open) => {
    metrics?.refusedConnection()
    if (isReported) return
    isReported = true
    const bound = open < maxConnections ? 'the limit of open files (LimitNOFILE, ulimit -n)' : 'CANOPY_MAX_CONNECTIONS'
    log.warn({ open }, `connections are refused, since so many are open: raise ${bound}`)
  }
}

/** Counts each connection without a descriptor, and logs one line a second for all of them. */
export const reportNotAccepted = (log: Logger, { metrics }: Observing): ((cause: NodeJS.ErrnoException) => void) => {
  const report = lineASecond(
    log,
    'refused',
    'connections found no descriptor: raise the limit of open files (LimitNOFILE, ulimit -n)',
  )
  return ({ code, message }) => {
    if (code !== 'EMFILE' && code !== 'ENFILE') return log.error({ message }, 'a connection could not be accepted')
    metrics?.failedAccept()
    report()
  }
}

/** A malformed request has its own log line, and counts as a request without an operation. */
export const reportMalformed =
  (log: Logger, { metrics }: Observing): OnMalformed =>
  ({ error, status }, id, code) => {
    metrics?.began()({ operation: 'none', status, failure: error, complete: true })
    log.info({ id, status, error, code }, 'malformed request')
  }
