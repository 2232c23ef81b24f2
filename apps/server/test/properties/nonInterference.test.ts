import { nonInterference, runs, swappedBackend } from '@canopy/test-support'
import type { World, WorldNode } from '@canopy/testkit'
import * as O from 'fp-ts/lib/Option.js'
import { afterEach, describe, expect, it } from 'vitest'
import { startApp } from '../startApp.js'
import { leaks } from './leaks.js'

const nodesOf = (nodes: ReadonlyArray<WorldNode>): number =>
  nodes.reduce((count, node) => count + 1 + (node.type === 'dir' ? nodesOf(node.content) : 0), 0)

const size = ({ accounts }: World): number =>
  accounts.reduce((count, { area }) => count + (area === 'missing' ? 0 : nodesOf(area)), 0)

describe('what a visitor receives depends only on the settings and on the nodes that the visitor may see', () => {
  const started: Array<() => Promise<void>> = []
  const opened = async (...parameters: Parameters<typeof swappedBackend>) => {
    const { backend, close } = await swappedBackend(...parameters)
    started.push(close)
    return backend
  }
  afterEach(() => Promise.all(started.splice(0).map((close) => close())))

  it('over HTTP: pairs of worlds that differ only in invisible nodes are answered alike, byte for byte', async () => {
    const pairs = runs(100)
    const report = await nonInterference(await opened('HTTP over memory', startApp), { pairs, seed: 1 })
    expect(report).toMatchObject({ pairs, interference: O.none })
    expect(report.differing).toBeGreaterThan(0.7 * pairs)
  })

  it.each(leaks)('a leak is caught: $name', async ({ portsOf, spoil }) => {
    const backend = spoil(await opened('a service that leaks', startApp, portsOf))
    const { interference } = await nonInterference(backend, { pairs: 2000, seed: 1, shrink: false })
    if (O.isNone(interference)) throw new Error('nothing was caught')
    expect(interference.value.answers[0]).not.toBe(interference.value.answers[1])
  })

  it('a leak is shown by the smallest pair of worlds and the one request that tell it', async () => {
    const leak = leaks.find(({ name }) => name.startsWith('the order'))
    if (leak === undefined) throw new Error('there is no such leak')
    const backend = leak.spoil(await opened('a service that leaks', startApp, leak.portsOf))
    const { interference } = await nonInterference(backend, { pairs: 500, seed: 2 })
    if (O.isNone(interference)) throw new Error('nothing was caught')
    const { worlds } = interference.value
    expect(worlds.map(({ accounts }) => accounts.length)).toEqual([1, 1])
    expect(Math.max(...worlds.map(size))).toBeLessThanOrEqual(4)
  })
})
