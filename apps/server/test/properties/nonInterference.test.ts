import { nonInterference, swappedDoor, type World, type WorldNode } from '@canopy/testkit'
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
  const opened = async (...parameters: Parameters<typeof swappedDoor>) => {
    const { door, close } = await swappedDoor(...parameters)
    started.push(close)
    return door
  }
  afterEach(() => Promise.all(started.splice(0).map((close) => close())))

  it('over HTTP: pairs of worlds that differ only in invisible nodes are answered alike, byte for byte', async () => {
    const report = await nonInterference(await opened('HTTP over memory', startApp), { pairs: 300, seed: 1 })
    console.log(report)
    expect(report).toMatchObject({ pairs: 300, interference: O.none })
    expect(report.differing).toBeGreaterThan(200)
  })

  it.each(leaks)('a leak is caught: $name', async ({ portsOf, spoil }) => {
    const door = spoil(await opened('a service that leaks', startApp, portsOf))
    const t0 = Date.now()
    const { interference, pairs } = await nonInterference(door, { pairs: 2000, seed: 1 })
    console.dir({ pairs, interference, ms: Date.now() - t0 }, { depth: 12 })
    const caught = O.toNullable(interference)
    expect(caught?.answers[0]).not.toBe(caught?.answers[1])
    expect(caught?.worlds.map(size)).toEqual([expect.toSatisfy((n) => n <= 4), expect.toSatisfy((n) => n <= 4)])
  })
})
