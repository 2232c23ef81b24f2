import type { Cluster, Worker } from 'node:cluster'
import { EventEmitter } from 'node:events'
import pino from 'pino'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { supervise } from '../../src/cluster/supervise.js'
import { ready } from '../../src/cluster/words.js'

const startMs = 60_000
const leaveMs = 5_000

/** Workers that do nothing but end when they are killed. */
const workersOf = (wanted: number) => {
  const told: Array<string> = []
  const workers: Array<EventEmitter> = []
  const fork = () => {
    const id = workers.length + 1
    const worker = new EventEmitter()
    const kill = (signal: string) => {
      told.push(`${signal} to ${id}`)
      worker.emit('exit', null, signal)
    }
    workers.push(Object.assign(worker, { id, process: { kill, pid: id }, isConnected: () => true, send: () => true }))
    // Nothing else of a worker is asked.
    return worker as unknown as Worker
  }
  const log = pino({ base: null, timestamp: false }, { write: (line: string) => void told.push(JSON.parse(line).msg) })
  // Nothing else of it is asked.
  const cluster = { fork } as unknown as Cluster
  return { told, workers, supervised: supervise(wanted, { cluster, log, leaveMs: () => leaveMs, startMs }) }
}

describe('a primary', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('kills a worker that is neither ready nor ends, and gives its reload up', async () => {
    const { told, workers, supervised } = workersOf(1)
    workers[0]?.emit('message', ready)
    supervised.portOpened()
    supervised.reload(1)
    expect(workers).toHaveLength(2)
    await vi.advanceTimersByTimeAsync(startMs - 1)
    expect(told).toEqual(['every worker is ready'])
    await vi.advanceTimersByTimeAsync(1)
    expect(told).toEqual([
      'every worker is ready',
      'a worker did not start in time and is killed',
      'SIGKILL to 2',
      'a worker died',
      'reload abandoned: a new worker died, the others go on',
    ])
  })

  it('ends when its first worker does not start in time', async () => {
    const { told, supervised } = workersOf(2)
    await vi.advanceTimersByTimeAsync(startMs)
    expect(told).toEqual(['a worker did not start in time and is killed', 'SIGKILL to 1'])
    expect(await supervised.ended).toBe(1)
  })

  it('takes a worker of which no process could be made for one that died', () => {
    const { told, workers, supervised } = workersOf(1)
    workers[0]?.emit('message', ready)
    supervised.portOpened()
    supervised.reload(1)
    Object.assign(workers[1] ?? {}, { process: {} })
    workers[1]?.emit('error', new Error('spawn EAGAIN'))
    expect(told).toEqual([
      'every worker is ready',
      'a worker cannot be started',
      'a worker died',
      'reload abandoned: a new worker died, the others go on',
    ])
    supervised.reload(1)
    expect(workers).toHaveLength(3)
  })

  it('lets a worker be that cannot be told something', () => {
    const { told, workers, supervised } = workersOf(1)
    workers[0]?.emit('message', ready)
    supervised.portOpened()
    workers[0]?.emit('error', new Error('write EPIPE'))
    expect(told).toEqual(['every worker is ready', 'a worker cannot be reached'])
    expect(workers).toHaveLength(1)
  })

  /** The first of two workers has been told to leave, the second takes its place. */
  const retiring = () => {
    const started = workersOf(1)
    started.workers[0]?.emit('message', ready)
    started.supervised.portOpened()
    started.supervised.reload(1)
    started.workers[1]?.emit('message', ready)
    return started
  }

  it('kills a worker that does not leave in time, and says so', async () => {
    const { told } = retiring()
    await vi.advanceTimersByTimeAsync(leaveMs - 1)
    expect(told).toEqual(['every worker is ready'])
    await vi.advanceTimersByTimeAsync(1)
    expect(told).toEqual([
      'every worker is ready',
      'SIGKILL to 1',
      'reloaded',
      'a worker did not leave in time and was killed',
    ])
  })

  it('kills nobody by the id of a worker that has left', async () => {
    const { told, workers } = retiring()
    workers[0]?.emit('exit', 0, null)
    await vi.advanceTimersByTimeAsync(2 * leaveMs)
    expect(told).toEqual(['every worker is ready', 'reloaded'])
  })

  it('passes failed look-ups on to all other workers, and no more than a thousand to one that does not read', () => {
    const { workers, supervised } = workersOf(3)
    workers[0]?.emit('message', ready)
    supervised.portOpened()
    const heard: Array<string> = []
    let readsOn = (): unknown => undefined
    const hears = (id: number) => (word: { readonly failedLookup: string }, sent: () => unknown) => {
      heard.push(`${word.failedLookup} to ${id}`)
      if (id === 3) readsOn = sent
      else sent()
      // What waits behind a connection says the same.
      return false
    }
    for (const [index, worker] of workers.entries()) Object.assign(worker, { send: hears(index + 1) })
    for (const failedLookup of ['a', 'b']) workers[0]?.emit('message', { failedLookup })
    workers[1]?.emit('message', { failedLookup: 'c' })
    expect(heard).toEqual(['a to 2', 'a to 3', 'b to 2', 'b to 3', 'c to 1', 'c to 3'])
    const many = Array.from(Array(2_000).keys(), String)
    for (const failedLookup of many) workers[0]?.emit('message', { failedLookup })
    expect(heard.filter((word) => word.endsWith(' to 2'))).toHaveLength(2 + many.length)
    expect(heard.filter((word) => word.endsWith(' to 3'))).toHaveLength(1_000)
    readsOn()
    workers[0]?.emit('message', { failedLookup: 'd' })
    expect(heard.slice(-2)).toEqual(['d to 2', 'd to 3'])
  })

  it('lets a worker be that is ready, or has ended', async () => {
    const { told, workers, supervised } = workersOf(2)
    workers[0]?.emit('message', ready)
    supervised.portOpened()
    workers[1]?.emit('exit', 1, null)
    workers[2]?.emit('message', ready)
    await vi.advanceTimersByTimeAsync(2 * startMs)
    expect(told).toEqual(['a worker died', 'every worker is ready'])
  })
})
