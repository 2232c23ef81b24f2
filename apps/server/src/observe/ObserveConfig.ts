import { everyProblem, type Installation, problemsOf, variable } from '@canopy/installation'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as t from 'io-ts'
import type { Address } from '../http/listen.js'

/** Where traces are sent. */
export interface TracesConfig {
  /** Takes OTLP over HTTP, as JSON. May hold a password: never shown. */
  readonly url: string
}

/** Who may watch the server, and from where. */
export interface ObserveConfig {
  /** Where metrics are served; `none` for no metrics. */
  readonly metrics: O.Option<Address>
  readonly traces: O.Option<TracesConfig>
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

const unsetOr = (accepts: (text: string) => boolean) => (text: string) => text === '' || accepts(text)

// With "@" or "#" behind the host, what is shown as the host may be a part of a password that is not encoded.
const isHttpUrl = (text: string): boolean => /^https?:\/\/[^/?#]+([/?][^@#]*)?$/i.test(text) && URL.canParse(text)

const endpoint = variable('Endpoint', unsetOr(isHttpUrl), 'must be a URL such as http://localhost:4318, or unset')

const protocol = variable(
  'Protocol',
  unsetOr((text) => text === 'http/json'),
  'must be http/json, the one protocol spoken here, or unset',
)

const tracesCodec = t.type({
  OTEL_SDK_DISABLED: variable(
    'Flag',
    unsetOr((text) => /^(true|false)$/i.test(text)),
    'must be true, false, or unset',
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: endpoint,
  OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: protocol,
})

const unset = Object.fromEntries(Object.keys(tracesCodec.props).map((name) => [name, '']))

const urlOf = (base: string, ofTraces: string): string =>
  ofTraces === '' ? `${base.replace(/\/$/, '')}/v1/traces` : ofTraces

/**
 * OpenTelemetry's own variables; an empty one counts as unset. `none` when no endpoint is named, or tracing is switched
 * off: then only the switch itself is looked at. All other variables of the SDK are read by the SDK.
 */
const tracesFromVariables = (
  variables: Installation.Variables,
): E.Either<ReadonlyArray<string>, O.Option<TracesConfig>> => {
  const named = ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'].some(
    (name) => (variables[name] ?? '') !== '',
  )
  const isOff = !named || /^true$/i.test(variables['OTEL_SDK_DISABLED'] ?? '')
  return isOff
    ? E.right(O.none)
    : pipe(
        { ...unset, ...variables },
        tracesCodec.decode,
        E.bimap(problemsOf, (read) =>
          O.some({ url: urlOf(read.OTEL_EXPORTER_OTLP_ENDPOINT, read.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT) }),
        ),
      )
}

/** `left` names every problem at once. */
export const fromVariables = (variables: Installation.Variables): E.Either<ReadonlyArray<string>, ObserveConfig> =>
  pipe(
    metricsFromVariables(variables),
    E.map((metrics) => (traces: ObserveConfig['traces']) => ({ metrics, traces })),
    (partial) => everyProblem.ap(partial, tracesFromVariables(variables)),
  )
