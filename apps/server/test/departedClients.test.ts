import { Failure } from '@canopy/domain'
import { dir, file, worldWith } from '@canopy/test-support'
import { memoryPorts } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import { Registry } from 'prom-client'
import { afterEach, describe, expect, it } from 'vitest'
import { metricsIn } from '../src/observe/prometheus.js'
import type { Ports } from '../src/ports.js'
import { startApp } from './startApp.js'

describe('work for a client that leaves', () => {
  const ends: Array<() => Promise<unknown>> = []
  afterEach(async () => {
    for (const end of ends.splice(0)) await end()
  })

  it('a tree lists no more directories, and counts no failure of the storage', async () => {
    const memory = memoryPorts(worldWith(Array.from({ length: 500 }, (_, at) => dir(`d${at}`, file('f')))))
    let asked = 0
    const list: Ports['list'] = (area, path, { signal } = {}) =>
      path === '/'
        ? memory.list(area, path)
        : async () => {
            asked += 1
            await new Promise<void>((resolve) => signal?.addEventListener('abort', resolve))
            return E.left(Failure.external(new Error('the client left')))
          }
    const registry = new Registry()
    const { port, stop } = await startApp({ ...memory, list }, { metrics: metricsIn(registry) })
    ends.push(() => stop())
    const client = new AbortController()
    const answer = fetch(`http://127.0.0.1:${port}/api/usercontent/v1/tree/id/1`, { signal: client.signal })
    await expect.poll(() => asked).toBeGreaterThan(0)
    const before = asked
    client.abort()
    await expect(answer).rejects.toThrow('aborted')
    await expect.poll(() => registry.metrics()).toContain('canopy_requests_admitted 0')
    expect(asked).toBeLessThan(before + 100)
    const metrics = await registry.metrics()
    expect(metrics).toContain('canopy_unreadable_directories_total 0')
    expect(metrics).toContain('canopy_port_failures_total{port="list",failure="external"} 0')
  })

  it('a cancelled look-up is no failure of the storage', async () => {
    const memory = memoryPorts(worldWith([]))
    let asked = 0
    const nodeAt: Ports['nodeAt'] =
      (_area, _path, { signal } = {}) =>
      async () => {
        asked += 1
        await new Promise<void>((resolve) => signal?.addEventListener('abort', resolve))
        return E.left(Failure.external(new Error('the client left')))
      }
    const registry = new Registry()
    const { port, stop } = await startApp({ ...memory, nodeAt }, { metrics: metricsIn(registry) })
    ends.push(() => stop())
    const client = new AbortController()
    const answer = fetch(`http://127.0.0.1:${port}/api/usercontent/v1/tree/id/1`, { signal: client.signal })
    await expect.poll(() => asked).toBe(1)
    client.abort()
    await expect(answer).rejects.toThrow('aborted')
    await expect.poll(() => registry.metrics()).toContain('canopy_requests_admitted 0')
    expect(await registry.metrics()).toContain('canopy_port_failures_total{port="nodeAt",failure="external"} 0')
  })

  it.each<[what: string, port: 'list' | 'nodeAt', portMs: number]>([
    ['when the storage stops reading', 'list', 8_000],
    ['after the time limit of the storage', 'nodeAt', 500],
  ])('releases the slot of its area %s', async (_, slow, portMs) => {
    const memory = memoryPorts(worldWith([dir('d', file('f'))]))
    let waiting = 0
    let isSlow = true
    const list: Ports['list'] = (area, path, { signal } = {}) =>
      slow !== 'list' || !isSlow
        ? memory.list(area, path)
        : async () => {
            waiting += 1
            await new Promise<void>((resolve) => signal?.addEventListener('abort', resolve))
            return E.left(Failure.external(new Error('the client left')))
          }
    const nodeAt: Ports['nodeAt'] = (area, path) =>
      slow !== 'nodeAt' || !isSlow
        ? memory.nodeAt(area, path)
        : () => {
            waiting += 1
            return new Promise(() => undefined)
          }
    // One area may use half of the slots, which is one.
    const maxAdmitted = 2
    const { port, stop } = await startApp({ ...memory, list, nodeAt }, { maxAdmitted, portMs })
    ends.push(() => stop())
    const target = `http://127.0.0.1:${port}/api/usercontent/v1/tree/id/1`
    const client = new AbortController()
    const answer = fetch(target, { signal: client.signal })
    await expect.poll(() => waiting).toBe(1)
    const status = async (): Promise<number> => (await fetch(target)).status
    isSlow = false
    expect(await status()).toBe(503)
    client.abort()
    await expect(answer).rejects.toThrow('aborted')
    await expect.poll(status, { timeout: 5_000 }).toBe(200)
  })
})
