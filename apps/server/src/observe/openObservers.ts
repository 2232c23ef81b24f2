import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Logger } from 'pino'
import type { ObserveConfig } from '../config.js'
import type { Address } from '../http/listen.js'
import type * as MetricsServer from './metricsServer.js'
import type { Tracing } from './openTelemetry.js'

// prom-client and OpenTelemetry are imported on demand, so that a server without them does not load them.

const loaded = <A>(load: () => Promise<A>): TE.TaskEither<string, A> =>
  TE.tryCatch(
    load,
    (thrown) => `cannot load metrics or tracing: ${thrown instanceof Error ? thrown.message : String(thrown)}`,
  )

/** Opens a configured observer; `undefined` without a configuration. */
const openIfConfigured = <Config, A>(config: O.Option<Config>, open: (config: Config) => TE.TaskEither<string, A>) =>
  pipe(config, O.traverse(TE.ApplicativeSeq)(open), TE.map(O.toUndefined))

const exposing =
  <A extends { readonly url: string | undefined }>(
    exposedBy: (module: typeof MetricsServer) => (address: Address) => TE.TaskEither<string, A>,
  ) =>
  ({ metrics }: ObserveConfig, log: Logger): TE.TaskEither<string, A | undefined> =>
    openIfConfigured(metrics, (address) =>
      pipe(
        loaded(() => import('./metricsServer.js')),
        TE.flatMap((module) => exposedBy(module)(address)),
        TE.tapIO(({ url }) => () => {
          if (url !== undefined) log.info({ url: `${url}/metrics` }, 'serving metrics')
        }),
      ),
    )

/** Serves metrics. `left` is for the operator. */
export const openMetrics = exposing(({ exposeMetrics }) => exposeMetrics)

/** Serves the metrics of all workers on one port of the primary. */
export const openMetricsOfWorkers = exposing(({ exposeWorkers }) => exposeWorkers)

/** Sends traces. `left` is for the operator. */
export const openTracing = ({ traces }: ObserveConfig, log: Logger): TE.TaskEither<string, Tracing | undefined> =>
  openIfConfigured(traces, (url) =>
    pipe(
      loaded(() => import('./openTelemetry.js')),
      TE.flatMap(({ openTelemetry }) => loaded(async () => openTelemetry(url, log))),
    ),
  )
