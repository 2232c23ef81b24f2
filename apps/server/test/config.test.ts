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
