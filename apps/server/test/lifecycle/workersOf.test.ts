import { describe, expect, it } from 'vitest'
import { quotaOf } from '../../src/cluster.js'

describe('the quota of a cgroup', () => {
  it.each([
    ['max 100000\n', Number.POSITIVE_INFINITY],
    ['200000 100000\n', 2],
    ['150000 100000\n', 2],
    ['50000 100000\n', 1],
    ['', Number.POSITIVE_INFINITY],
  ])('%j lets %d workers start', (cpuMax, workers) => {
    expect(quotaOf(cpuMax)).toBe(workers)
  })
})
