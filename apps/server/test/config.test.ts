import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as O from 'fp-ts/lib/Option.js'
import { describe, expect, it, onTestFinished } from 'vitest'
import { fromVariables, read as readAll } from '../src/config.js'

type Variables = Readonly<Record<string, string>>

const read = (variables: Variables) => fromVariables('/srv', variables)

const collector = 'OTEL_EXPORTER_OTLP_ENDPOINT'
const ofTraces = 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'
const protocol = 'OTEL_EXPORTER_OTLP_PROTOCOL'

describe('the configuration', () => {
  it('reports every problem at once, without values', () => {
    const wrong = {
      CANOPY_PORT: '80x',
      CANOPY_HOST: '',
      CANOPY_LOG: 'loud',
      CANOPY_TREE_NODES: '0',
      CANOPY_REGISTRY: 'mysql://user:hunter2@db/canopy',
      CANOPY_STORAGE: 'somewhere',
      CANOPY_DATA: '',
      CANOPY_METRICS_PORT: '99999',
      CANOPY_METRICS_HOST: '[::1]',
      [collector]: 'collector:4318?hunter2',
      [protocol]: 'grpc',
      OTEL_SDK_DISABLED: 'perhaps',
    }
    const found = read(wrong)
    const problems = found._tag === 'Left' ? found.left : []
    expect(new Set(problems.map((problem) => problem.split(/[ :]/)[0]))).toEqual(new Set(Object.keys(wrong)))
    expect(problems.join()).not.toContain('hunter2')
  })

  it('reports variables that the server does not know', () => {
    const known = { CANOPY_WORKERS: '3', CANOPY_CONFIG: 'file', CANOPY_DATA: '/srv', CANOPY_METRICS_PORT: '' }
    const variables = { ...known, CANOPY_WORKRES: '3', HOME: '/root', canopy_log: 'info' }
    expect(read(variables)).toMatchObject({ right: { unknown: ['CANOPY_WORKRES'] } })
  })

  it('passes known variables to a worker, and no others of its file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'canopy-variables-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const ours = 'CANOPY_WORKERS=2\nCANOPY_BASE_PATH=/c\nOTEL_SDK_DISABLED=true\n'
    writeFileSync(join(folder, 'canopy.env'), `${ours}AWS_SECRET_ACCESS_KEY=a\nOTEL_SERVICE_NAME=b\nPGPASSWORD=c\n`)
    expect(readAll(folder, { CANOPY_CONFIG: 'canopy.env' })).toEqual({
      _tag: 'Right',
      right: {
        config: expect.objectContaining({ workers: 2 }),
        variables: {
          CANOPY_WORKERS: '2',
          OTEL_SDK_DISABLED: 'true',
          CANOPY_DATA: join(folder, 'data'),
          CANOPY_STORAGE: `file://${folder}/data/areas`,
          CANOPY_REGISTRY: `sqlite:${folder}/data/registry.sqlite`,
          CANOPY_HOST: '127.0.0.1',
          CANOPY_PORT: '8080',
          CANOPY_BASE_PATH: '/c',
        },
      },
    })
  })

  it.each([
    ['::1', '::', '9000', true],
    ['127.0.0.1', '127.0.0.2', '9000', false],
    ['127.0.0.1', '127.0.0.1', '0', false],
    ['/run/canopy.sock', '::', '9000', false],
  ])('compares the addresses %s and %s on port %s: clash %s', (host, metricsHost, port, isClash) => {
    const variables = { CANOPY_HOST: host, CANOPY_METRICS_HOST: metricsHost }
    const clash = 'CANOPY_METRICS_PORT must differ from CANOPY_PORT'
    expect(read({ ...variables, CANOPY_PORT: port, CANOPY_METRICS_PORT: port })).toMatchObject(
      isClash ? { left: [clash] } : { _tag: 'Right' },
    )
  })

  const wildcard = { CANOPY_METRICS_PORT: '0', CANOPY_METRICS_HOST: '::' }

  it.each<[Variables, O.Option<object>]>([
    [{ CANOPY_METRICS_PORT: '' }, O.none],
    [{ CANOPY_METRICS_PORT: '9464' }, O.some({ host: '127.0.0.1', port: 9464 })],
    [wildcard, O.some({ host: '::', port: 0 })],
  ])('serves metrics for %o at %o', (variables, address) => {
    expect(read(variables)).toMatchObject({ right: { metrics: address } })
  })

  const base = { [collector]: 'http://a' }

  it.each<[Variables, O.Option<string>]>([
    [{ [collector]: 'http://collector:4318' }, O.some('http://collector:4318/v1/traces')],
    [{ [collector]: 'https://collector/otlp/' }, O.some('https://collector/otlp/v1/traces')],
    [{ [ofTraces]: 'http://collector/traces' }, O.some('http://collector/traces')],
    [{ ...base, [ofTraces]: 'http://b/x' }, O.some('http://b/x')],
    [{ ...base, [protocol]: 'http/json' }, O.some('http://a/v1/traces')],
    [{ ...base, OTEL_SDK_DISABLED: 'true' }, O.none],
    [{ ...base, OTEL_SDK_DISABLED: 'TRUE', [protocol]: 'grpc' }, O.none],
    [{ [protocol]: 'grpc' }, O.none],
    [{ [collector]: '', [ofTraces]: '' }, O.none],
  ])('sends traces for %o to %o', (variables, traces) => {
    expect(read(variables)).toMatchObject({ right: { traces } })
  })

  it.each(['http://a:p@hunter2/b@c', 'http://a:1/hunter2@c'])(
    'never takes a part of a password for the host: %s',
    (url) => {
      const left = [`${collector}: must be a URL such as http://localhost:4318, or unset`]
      expect(read({ [collector]: url })).toMatchObject({ left })
    },
  )
})
