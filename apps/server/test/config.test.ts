import { describe, expect, it } from 'vitest'
import { fromVariables } from '../src/config.js'

describe('the configuration', () => {
  it('names every problem at once, and repeats no value', () => {
    const wrong = fromVariables('/srv', {
      CANOPY_PORT: '80x',
      CANOPY_HOST: '',
      CANOPY_LOG: 'loud',
      CANOPY_TREE_NODES: '0',
      CANOPY_REGISTRY: 'mysql://user:hunter2@db/canopy',
      CANOPY_STORAGE: 'somewhere',
      CANOPY_DATA: '',
    })
    const problems = '_tag' in wrong && wrong._tag === 'Left' ? wrong.left : []
    expect(new Set(problems.map((problem) => problem.split(' ')[0]))).toEqual(
      new Set([
        'CANOPY_DATA',
        'CANOPY_HOST',
        'CANOPY_LOG',
        'CANOPY_PORT',
        'CANOPY_REGISTRY',
        'CANOPY_STORAGE',
        'CANOPY_TREE_NODES',
      ]),
    )
    expect(problems.join()).not.toContain('hunter2')
  })

  const clash = 'CANOPY_METRICS_PORT must be another port than CANOPY_PORT: only one can listen on it'

  it.each([
    ['127.0.0.1', '127.0.0.1'],
    ['Canopy', 'canopy'],
    ['0.0.0.0', '127.0.0.1'],
    ['127.0.0.1', '0.0.0.0'],
    ['::', '127.0.0.1'],
    ['::1', '::'],
  ])('refuses one port for %s and, for metrics, %s, beside every other problem', (host, metricsHost) => {
    const variables = {
      CANOPY_HOST: host,
      CANOPY_METRICS_HOST: metricsHost,
      CANOPY_PORT: '9000',
      CANOPY_METRICS_PORT: '9000',
    }
    expect(fromVariables('/srv', variables)).toEqual({ _tag: 'Left', left: [clash] })
    expect(fromVariables('/srv', { ...variables, CANOPY_LOG: 'loud' })).toEqual({
      _tag: 'Left',
      left: [expect.stringContaining('CANOPY_LOG'), clash],
    })
  })

  it.each([
    ['127.0.0.1', '127.0.0.2', '9000', '9000'],
    ['0.0.0.0', '::1', '9000', '9000'],
    ['127.0.0.1', '127.0.0.1', '9000', '9001'],
    ['127.0.0.1', '127.0.0.1', '0', '0'],
  ])('takes %s and %s with the ports %s and %s', (host, metricsHost, port, metricsPort) => {
    expect(
      fromVariables('/srv', {
        CANOPY_HOST: host,
        CANOPY_METRICS_HOST: metricsHost,
        CANOPY_PORT: port,
        CANOPY_METRICS_PORT: metricsPort,
      }),
    ).toMatchObject({ _tag: 'Right' })
  })

  it('reports variables that the server does not know', () => {
    const variables = {
      CANOPY_WORKRES: '3',
      CANOPY_WORKERS: '3',
      CANOPY_CONFIG: 'file',
      CANOPY_DATA: '/srv',
      CANOPY_METRICS_PORT: '',
      HOME: '/root',
      canopy_log: 'info',
    }
    expect(fromVariables('/srv', variables)).toMatchObject({ right: { unknown: ['CANOPY_WORKRES'] } })
  })
})
