import { everyProblem, type Installation, problemsOf, variable } from '@canopy/installation'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as t from 'io-ts'
import type { MetricsAddress } from './metrics/metricsServer.js'
import * as TracesConfig from './tracing/TracesConfig.js'

/** Who may watch the server, and from where. */
export interface ObserveConfig {
  /** Where metrics are served; `none` for no metrics. */
  readonly metrics: O.Option<MetricsAddress>
  readonly traces: O.Option<TracesConfig.TracesConfig>
}

const isPort = (text: string): boolean => /^(0|[1-9][0-9]{0,4})$/.test(text) && Number(text) <= 65_535

const codec = t.type({
  CANOPY_METRICS_PORT: variable(
    'Port',
    (text) => text === '' || isPort(text),
    'must be a whole number from 0 to 65535, such as 9464, or unset for no metrics (the default)',
  ),
  CANOPY_METRICS_HOST: variable(
    'Host',
    (text) => /^[A-Za-z0-9._:%-]+$/.test(text),
    'must be a host name or an IP address, such as 127.0.0.1 (the default)',
  ),
})

/** The variables that are read here, beside OpenTelemetry's. */
export const names: ReadonlyArray<string> = Object.keys(codec.props)

const defaults = { CANOPY_METRICS_PORT: '', CANOPY_METRICS_HOST: '127.0.0.1' }

const metricsFromVariables = (variables: Installation.Variables) =>
  pipe(
    { ...defaults, ...variables },
    codec.decode,
    E.bimap(problemsOf, ({ CANOPY_METRICS_HOST: host, CANOPY_METRICS_PORT: port }) =>
      port === '' ? O.none : O.some({ host, port: Number(port) }),
    ),
  )

/** `left` names every problem at once. */
export const fromVariables = (variables: Installation.Variables): E.Either<ReadonlyArray<string>, ObserveConfig> =>
  pipe(
    metricsFromVariables(variables),
    E.map((metrics) => (traces: ObserveConfig['traces']) => ({ metrics, traces })),
    (partial) => everyProblem.ap(partial, TracesConfig.fromVariables(variables)),
  )
