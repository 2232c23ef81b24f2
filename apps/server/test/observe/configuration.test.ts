import * as O from 'fp-ts/lib/Option.js'
import { describe, expect, it } from 'vitest'
import { fromVariables } from '../../src/config.js'

type Variables = Readonly<Record<string, string>>

const observed = (variables: Variables) => {
  const read = fromVariables('/srv', variables)
  return read._tag === 'Right' ? { metrics: read.right.metrics, traces: read.right.traces } : read.left
}

describe('the configuration of what is observed', () => {
  it.each([{}, { CANOPY_METRICS_PORT: '', OTEL_EXPORTER_OTLP_ENDPOINT: '', OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: '' }])(
    'is nothing where nothing is said, or that by nothing: %o',
    (variables) => {
      expect(observed(variables)).toEqual({ metrics: O.none, traces: O.none })
    },
  )

  it.each<[Variables, object]>([
    [{ CANOPY_METRICS_PORT: '9464' }, { host: '127.0.0.1', port: 9464 }],
    [
      { CANOPY_METRICS_PORT: '0', CANOPY_METRICS_HOST: '::' },
      { host: '::', port: 0 },
    ],
  ])('%o serves metrics at %o', (variables, address) => {
    expect(observed(variables)).toMatchObject({ metrics: O.some(address) })
  })

  const base = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a' }
  const to = (url: string) => O.some(url)

  it.each<[Variables, O.Option<string>]>([
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }, to('http://collector:4318/v1/traces')],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector/otlp/' }, to('https://collector/otlp/v1/traces')],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://collector/traces' }, to('http://collector/traces')],
    [{ ...base, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://b/x' }, to('http://b/x')],
    [{ ...base, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' }, to('http://a/v1/traces')],
    [{ ...base, OTEL_SDK_DISABLED: 'false' }, to('http://a/v1/traces')],
    [{ ...base, OTEL_SDK_DISABLED: 'true' }, O.none],
    [{ ...base, OTEL_SDK_DISABLED: 'TRUE', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, O.none],
    [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, O.none],
  ])('%o sends traces to %o', (variables, traces) => {
    expect(observed(variables)).toMatchObject({ traces })
  })

  it('names every problem, together with those of all other variables, and repeats no value', () => {
    const wrong = {
      CANOPY_PORT: 'x',
      CANOPY_LOG: 'loud',
      CANOPY_METRICS_PORT: '99999',
      CANOPY_METRICS_HOST: '',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318?hunter2',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
      OTEL_SDK_DISABLED: 'perhaps',
    }
    const problems = observed(wrong) as ReadonlyArray<string>
    expect(new Set(problems.map((problem) => problem.split(' ')[0]))).toEqual(new Set(Object.keys(wrong)))
    expect(problems.join()).not.toContain('hunter2')
  })

  it.each(['http://a:p@hunter2/b@c', 'http://a:p@hunter2/b#c', 'http://a:p@hunter2?b@c', 'http://a:1/hunter2@c'])(
    'takes no part of a password for a host: %s',
    (url) => {
      expect(observed({ OTEL_EXPORTER_OTLP_ENDPOINT: url })).toEqual([
        'OTEL_EXPORTER_OTLP_ENDPOINT must be a URL such as http://localhost:4318, or unset',
      ])
    },
  )
})
