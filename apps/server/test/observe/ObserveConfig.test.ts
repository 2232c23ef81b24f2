import * as O from 'fp-ts/lib/Option.js'
import { describe, expect, it } from 'vitest'
import { fromVariables as everything } from '../../src/config.js'
import { fromVariables } from '../../src/observe/ObserveConfig.js'

const right = (variables: Readonly<Record<string, string>>) => {
  const read = fromVariables(variables)
  return read._tag === 'Right' ? read.right : read.left
}

const problems = (variables: Readonly<Record<string, string>>): ReadonlyArray<string> => {
  const read = everything('/srv', variables)
  return read._tag === 'Left' ? read.left : []
}

describe('the configuration of what is observed', () => {
  it('is nothing where nothing is said, and where it is said by nothing', () => {
    const nothing = { metrics: O.none, traces: O.none }
    expect(right({})).toEqual(nothing)
    expect(
      right({ CANOPY_METRICS_PORT: '', OTEL_EXPORTER_OTLP_ENDPOINT: '', OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: '' }),
    ).toEqual(nothing)
  })

  it('takes metrics from a port, of this machine alone unless a host is named', () => {
    expect(right({ CANOPY_METRICS_PORT: '9464' })).toMatchObject({
      metrics: O.some({ host: '127.0.0.1', port: 9464 }),
    })
    expect(right({ CANOPY_METRICS_PORT: '0', CANOPY_METRICS_HOST: '::' })).toMatchObject({
      metrics: O.some({ host: '::', port: 0 }),
    })
  })

  it.each([
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }, 'http://collector:4318/v1/traces'],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector/otlp/' }, 'https://collector/otlp/v1/traces'],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://collector/traces' }, 'http://collector/traces'],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a', OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://b/x' }, 'http://b/x'],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a', OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' }, 'http://a/v1/traces'],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a', OTEL_SDK_DISABLED: 'false' }, 'http://a/v1/traces'],
  ])('sends traces for %o to %s', (variables, url) => {
    expect(right(variables as Readonly<Record<string, string>>)).toMatchObject({ traces: O.some({ url }) })
  })

  it.each(['true', 'TRUE'])('sends none when the SDK is disabled: %s', (OTEL_SDK_DISABLED) => {
    expect(right({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a', OTEL_SDK_DISABLED })).toMatchObject({ traces: O.none })
  })

  it('names every problem, together with those of all other variables, and repeats no value', () => {
    const wrong = problems({
      CANOPY_PORT: 'x',
      CANOPY_LOG: 'loud',
      CANOPY_METRICS_PORT: '99999',
      CANOPY_METRICS_HOST: '',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318?hunter2',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
      OTEL_SDK_DISABLED: 'perhaps',
    })
    expect(new Set(wrong.map((problem) => problem.split(' ')[0]))).toEqual(
      new Set([
        'CANOPY_PORT',
        'CANOPY_LOG',
        'CANOPY_METRICS_PORT',
        'CANOPY_METRICS_HOST',
        'OTEL_EXPORTER_OTLP_ENDPOINT',
        'OTEL_EXPORTER_OTLP_PROTOCOL',
        'OTEL_SDK_DISABLED',
      ]),
    )
    expect(wrong.join()).not.toContain('hunter2')
  })

  it.each(['http://a:p@hunter2/b@c', 'http://a:p@hunter2/b#c', 'http://a:p@hunter2?b@c', 'http://a:1/hunter2@c'])(
    'takes no part of a password for a host: %s',
    (url) => {
      const wrong = problems({ OTEL_EXPORTER_OTLP_ENDPOINT: url })
      expect(wrong).toEqual([expect.stringMatching(/^OTEL_EXPORTER_OTLP_ENDPOINT must be a URL/)])
      expect(wrong.join()).not.toContain('hunter2')
    },
  )

  it('does not look at how traces would be sent when none are', () => {
    expect(problems({ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' })).toEqual([])
  })
})
