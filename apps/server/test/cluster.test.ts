import cluster, { type Worker } from 'node:cluster'
import { EventEmitter } from 'node:events'
import { setImmediate as turn } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { runWorkers } from '../src/cluster.js'
import { type Configured, read } from '../src/config.js'
import { logged } from './inProcess.js'

afterEach(() => {
  vi.restoreAllMocks()
})

const configured = (variables: Readonly<Record<string, string>>): Configured => {
  const found = read('/', { CANOPY_PORT: '0', ...variables })
  if (E.isLeft(found)) throw new Error(found.left.join())
  return found.right
}

/** The parts of a worker that the primary uses. */
const fakeWorker = () =>
  Object.assign(new EventEmitter(), {
    id: 1,
    process: { pid: 1, kill: vi.fn<() => boolean>() },
    isConnected: () => true,
    send: vi.fn<() => boolean>(),
  })

const primary = (workers: string) => {
  const forked: Array<ReturnType<typeof fakeWorker>> = []
  const fork = vi.spyOn(cluster, 'fork').mockImplementation(() => {
    const worker = fakeWorker()
    forked.push(worker)
    return worker as unknown as Worker
  })
  const { lines, log } = logged()
  const config = configured({ CANOPY_WORKERS: workers })
  const listen = async () => {
    for (const worker of forked) worker.emit('listening', { port: 1 })
    await turn()
  }
  const running = runWorkers(config, () => E.right(config), log)
  onTestFinished(() => {
    running.stop()
    for (const worker of forked) worker.emit('exit', 0)
  })
  return {
    reload: () => running.reload(),
    stop: () => running.stop(),
    ended: running.ended,
    fork,
    forked,
    listen,
    said: () => lines.map(({ msg }) => msg),
  }
}

describe('the process that starts workers', () => {
  it('replaces all workers after one event that ends them together', async () => {
    const { forked, listen, said } = primary('8')
    await turn()
    await listen()
    await listen()
    for (const worker of forked) worker.emit('exit', 1)
    await expect.poll(() => forked.length).toBeGreaterThan(8)
    expect(said()).not.toContain('giving up: workers keep crashing')
  })

  it('replaces a worker that crashes again after a pause that doubles with each crash', async () => {
    const { forked, listen } = primary('1')
    await turn()
    const pauseAfterCrash = async () => {
      await listen()
      const crashedAt = performance.now()
      const count = forked.length
      forked.at(-1)?.emit('exit', 1)
      await vi.waitUntil(() => forked.length > count, { interval: 5, timeout: 60_000 })
      return performance.now() - crashedAt
    }
    await pauseAfterCrash()
    expect(await pauseAfterCrash()).toBeGreaterThan(200)
    expect(await pauseAfterCrash()).toBeGreaterThan(400)
  })
})
