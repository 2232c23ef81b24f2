import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from '@canopy/test-support'
import * as O from 'fp-ts/lib/Option.js'
import { expect, it, onTestFinished } from 'vitest'
import { fromVariables, read as readAll } from '../src/config.js'
import type { Variables } from './startServer.js'

const read = (variables: Variables) => fromVariables('/srv', variables)

const collector = 'OTEL_EXPORTER_OTLP_ENDPOINT'
const ofTraces = 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'
const protocol = 'OTEL_EXPORTER_OTLP_PROTOCOL'

it('every problem of the configuration is reported at once, without values', () => {
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

it('variables that the server does not know are reported', () => {
  const variables = { CANOPY_WORKERS: '3', CANOPY_CONFIG: 'f', CANOPY_WORKRES: '3', HOME: '/r', canopy_log: 'info' }
  expect(read(variables)).toMatchObject({ right: { unknown: ['CANOPY_WORKRES'] } })
})

it('a worker gets the known variables of its file, and no others', () => {
  const folder = temporaryDirectory(onTestFinished)
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

const samePort = { CANOPY_PORT: '9000', CANOPY_METRICS_PORT: '9000' }
const clash = { left: ['CANOPY_METRICS_PORT must differ from CANOPY_PORT'] }
const noClash = { _tag: 'Right' }
const metrics = (address: O.Option<object>) => ({ right: { metrics: address } })
const traces = (url: O.Option<string>) => ({ right: { traces: url } })
const noUrl = { left: [`${collector}: must be a URL such as http://localhost:4318, or unset`] }

it.each<[Variables, object]>([
  [{ ...samePort, CANOPY_HOST: '::1', CANOPY_METRICS_HOST: '::' }, clash],
  [{ ...samePort, CANOPY_HOST: '127.0.0.1', CANOPY_METRICS_HOST: '127.0.0.2' }, noClash],
  [{ ...samePort, CANOPY_HOST: '/run/canopy.sock', CANOPY_METRICS_HOST: '::' }, noClash],
  [{ CANOPY_PORT: '0', CANOPY_METRICS_PORT: '0' }, noClash],
  [{ CANOPY_METRICS_PORT: '' }, metrics(O.none)],
  [{ CANOPY_METRICS_PORT: '9464' }, metrics(O.some({ host: '127.0.0.1', port: 9464 }))],
  [{ CANOPY_METRICS_PORT: '0', CANOPY_METRICS_HOST: '::' }, metrics(O.some({ host: '::', port: 0 }))],
  [{ [collector]: 'http://collector:4318' }, traces(O.some('http://collector:4318/v1/traces'))],
  [{ [collector]: 'https://collector/otlp/' }, traces(O.some('https://collector/otlp/v1/traces'))],
  [{ [ofTraces]: 'http://collector/traces' }, traces(O.some('http://collector/traces'))],
  [{ [collector]: 'http://a', [ofTraces]: 'http://b/x' }, traces(O.some('http://b/x'))],
  [{ [collector]: 'http://a', [protocol]: 'http/json' }, traces(O.some('http://a/v1/traces'))],
  [{ [collector]: 'http://a', OTEL_SDK_DISABLED: 'true' }, traces(O.none)],
  [{ [collector]: 'http://a', OTEL_SDK_DISABLED: 'TRUE', [protocol]: 'grpc' }, traces(O.none)],
  [{ [protocol]: 'grpc' }, traces(O.none)],
  [{ [collector]: '', [ofTraces]: '' }, traces(O.none)],
  // A part of a password is never shown as the host.
  [{ [collector]: 'http://a:p@hunter2/b@c' }, noUrl],
  [{ [collector]: 'http://a:1/hunter2@c' }, noUrl],
])('the variables %o are read as %o', (variables, expected) => {
  expect(read(variables)).toMatchObject(expected)
})
