import { readFileSync } from 'node:fs'
import { Registry } from 'prom-client'
import { describe, expect, it } from 'vitest'
import { metricsIn } from '../../src/observe/prometheus.js'

const page = readFileSync(new URL('../../../../docs/metrics.md', import.meta.url), 'utf8')

describe('docs/metrics.md', () => {
  it('explains every metric of the service, and no other', () => {
    const registry = new Registry()
    metricsIn(registry)
    const names = registry.getMetricsAsArray().map(({ name }) => name)
    const explained = [...page.matchAll(/^- `(canopy_[a-z_]+)`/gm)].map(([, name]) => name)
    expect(explained).toEqual(names)
  })
})
