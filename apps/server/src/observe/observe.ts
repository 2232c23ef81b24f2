import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Logger } from 'pino'
import type { ObserveConfig } from '../config.js'
import type { ConnectionOptions, OnMalformed } from '../http/connections.js'
import type { Address } from '../http/listen.js'
import type { Exposed } from './metricsServer.js'
import type { Tracing } from './openTelemetry.js'
import type { Metrics } from './prometheus.js'

/** What is switched on of metrics and traces. */
export interface Observing {
  readonly metrics?: Metrics
  readonly tracing?: Tracing
}

// What is switched off is not even loaded: prom-client and OpenTelemetry are imported here, when they are wanted.

interface Observed {
  readonly observing: Observing
  readonly stop: () => Promise<void>
}

const loaded = <A>(load: () => Promise<A>): TE.TaskEither<string, A> =>
  TE.tryCatch(load, (thrown) => `cannot observe: ${thrown instanceof Error ? thrown.message : String(thrown)}`)

const announce = (log: Logger) => (url: string | undefined) => () => {
  if (url !== undefined) log.info({ url: `${url}/metrics` }, 'metrics')
}

const openMetrics =
  (log: Logger) =>
  (address: Address): TE.TaskEither<string, Exposed> =>
    pipe(
      loaded(() => import('./metricsServer.js')),
      TE.flatMap(({ exposeMetrics }) => exposeMetrics(address)),
      TE.tapIO(({ url }) => announce(log)(url)),
    )

const openTracing =
  (log: Logger) =>
  (url: string): TE.TaskEither<string, Tracing> =>
    pipe(
      loaded(() => import('./openTelemetry.js')),
      TE.flatMap(({ openTelemetry }) => loaded(async () => openTelemetry(url, log))),
    )

const observed = (metrics: Exposed | undefined, tracing: Tracing | undefined): Observed => ({
  observing: {
    ...(metrics === undefined ? {} : { metrics: metrics.metrics }),
    ...(tracing === undefined ? {} : { tracing }),
  },
  stop: async () => {
    await tracing?.stop()
    await metrics?.stop()
  },
})

/** Begins to serve metrics and to send traces, where the configuration wants it. `left` says what prevents it. */
export const observe = (config: ObserveConfig, log: Logger): TE.TaskEither<string, Observed> =>
  pipe(
    config.metrics,
    O.traverse(TE.ApplicativeSeq)(openMetrics(log)),
    TE.map(O.toUndefined),
    TE.flatMap((metrics) =>
      pipe(
        config.traces,
        O.traverse(TE.ApplicativeSeq)(openTracing(log)),
        TE.map((tracing) => observed(metrics, O.toUndefined(tracing))),
        TE.orElseFirstTaskK(() => async () => metrics?.stop()),
      ),
    ),
  )

/** In a primary: the metrics of all its workers on the one port for metrics. */
export const observePrimary = (config: ObserveConfig, log: Logger): TE.TaskEither<string, O.Option<unknown>> =>
  pipe(
    config.metrics,
    O.traverse(TE.ApplicativeSeq)((address) =>
      pipe(
        loaded(() => import('./metricsServer.js')),
        TE.flatMap(({ exposeWorkers }) => exposeWorkers(address)),
        TE.tapIO(({ url }) => announce(log)(url)),
      ),
    ),
  )

/** A connection that is refused is counted; why is logged once. */
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

/** What is no request has no operation and no time, but its own line and count. */
export const reportMalformed =
  (log: Logger, { metrics }: Observing): OnMalformed =>
  ({ error, status }, id, code) => {
    metrics?.began()({ operation: 'none', status, failure: error, complete: true })
    log.info({ id, status, error, code }, 'malformed request')
  }
