import { type Installation, problemsOf, variable } from '@canopy/installation'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as t from 'io-ts'

/** Where traces are sent. */
export interface TracesConfig {
  /** Takes OTLP over HTTP, as JSON. May hold a password: never shown. */
  readonly url: string
}

const unsetOr = (accepts: (text: string) => boolean) => (text: string) => text === '' || accepts(text)

const isHttpUrl = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)

const endpoint = variable('Endpoint', unsetOr(isHttpUrl), 'must be a URL such as http://localhost:4318, or unset')

const protocol = variable(
  'Protocol',
  unsetOr((text) => text === 'http/json'),
  'must be http/json, the one protocol spoken here, or unset',
)

const codec = t.type({
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

const unset = Object.fromEntries(Object.keys(codec.props).map((name) => [name, '']))

const urlOf = (base: string, ofTraces: string): string =>
  ofTraces === '' ? `${base.replace(/\/$/, '')}/v1/traces` : ofTraces

/**
 * OpenTelemetry's own variables; an empty one counts as unset. `none` when no endpoint is named, or tracing is switched
 * off: then only the switch itself is looked at. All other variables of the SDK are read by the SDK.
 */
export const fromVariables = (
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
        codec.decode,
        E.bimap(problemsOf, (read) =>
          O.some({ url: urlOf(read.OTEL_EXPORTER_OTLP_ENDPOINT, read.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT) }),
        ),
      )
}
