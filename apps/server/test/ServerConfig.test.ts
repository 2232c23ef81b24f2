import { describe, expect, it } from 'vitest'
import { fromVariables } from '../src/ServerConfig.js'

describe('the configuration', () => {
  it('has a default for every variable, below ./data', () => {
    expect(fromVariables('/srv', {})).toMatchObject({
      _tag: 'Right',
      right: {
        installation: {
          data: '/srv/data',
          storage: '/srv/data/areas',
          registry: { engine: 'SQLite', path: '/srv/data/registry.sqlite' },
          host: '127.0.0.1',
          port: 8080,
        },
        logLevel: 'info',
        treeNodes: 1_000_000,
      },
    })
  })

  it('takes storage and registry from the data directory, unless they are named', () => {
    const variables = { CANOPY_DATA: '/var/lib/my canopy', CANOPY_REGISTRY: 'postgres://canopy@db/canopy' }
    expect(fromVariables('/srv', variables)).toMatchObject({
      right: {
        installation: {
          storage: '/var/lib/my canopy/areas',
          registry: { engine: 'PostgreSQL', connectionString: 'postgres://canopy@db/canopy' },
        },
      },
    })
  })

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

  it('tells of variables that nobody reads', () => {
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
