import { EventEmitter } from 'node:events'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { answerPrimary } from '../../src/observe/metrics/answerPrimary.js'
import { type AskedWorker, metricsOfWorkers } from '../../src/observe/metrics/metricsOfWorkers.js'
import type { Word } from '../../src/observe/metrics/metricsWords.js'
import { samples } from './samples.js'

/** A worker whose words go through JSON, as between processes. */
const workerOf = (primary: EventEmitter, answers = true) => {
  const registry = new Registry()
  const registers = [registry]
  const total = new Counter({ name: 'total', help: 'x', labelNames: ['operation'], registers })
  const now = new Gauge({ name: 'now', help: 'x', registers })
  const seconds = new Histogram({ name: 'seconds', help: 'x', buckets: [1], registers })
  const ear = new EventEmitter()
  const worker: AskedWorker = { send: (word) => ear.emit('message', JSON.parse(JSON.stringify(word))) }
  const say = (word: Word) => primary.emit('message', worker, JSON.parse(JSON.stringify(word)))
  if (answers) answerPrimary(registry, { on: (event, listener) => ear.on(event, listener), send: say })
  else say({ metrics: 'able' })
  return { total, now, seconds, exit: () => primary.emit('exit', worker) }
}

describe('the metrics of workers', () => {
  let primary = new EventEmitter()
  let collect = metricsOfWorkers(primary)

  beforeEach(() => {
    primary = new EventEmitter()
    collect = metricsOfWorkers(primary)
  })

  const collected = async () => samples(await collect())

  it('are added up', async () => {
    const [one, other] = [workerOf(primary), workerOf(primary)]
    one.total.inc({ operation: 'a' }, 2)
    other.total.inc({ operation: 'a' }, 3)
    other.total.inc({ operation: 'b' })
    one.now.set(1)
    other.now.set(1)
    one.seconds.observe(0.5)
    other.seconds.observe(7)
    expect(Object.fromEntries(await collected())).toEqual({
      'total{operation="a"}': 5,
      'total{operation="b"}': 1,
      now: 2,
      'seconds_bucket{le="1"}': 1,
      'seconds_bucket{le="+Inf"}': 2,
      seconds_sum: 7.5,
      seconds_count: 2,
    })
  })

  it('keep the totals of a worker that is gone, and only those, so that none ever goes down', async () => {
    const [one, other] = [workerOf(primary), workerOf(primary)]
    one.total.inc({ operation: 'a' }, 2)
    one.seconds.observe(0.5)
    one.now.set(1)
    other.total.inc({ operation: 'a' }, 3)
    await collect()
    one.exit()
    const third = workerOf(primary)
    third.total.inc({ operation: 'a' }, 10)
    const after = await collected()
    expect([after.get('total{operation="a"}'), after.get('seconds_count'), after.get('now')]).toEqual([15, 1, 0])
    other.exit()
    third.exit()
    expect((await collected()).get('total{operation="a"}')).toBe(15)
  })

  it('are none while there is no worker', async () => {
    expect(await collected()).toEqual(new Map())
  })

  it('leave other words alone', async () => {
    const { total } = workerOf(primary)
    total.inc({ operation: 'a' })
    for (const word of ['ready', null, 7, {}, { metrics: 'given', id: 99, numbers: [] }])
      primary.emit('message', {}, word)
    expect((await collected()).get('total{operation="a"}')).toBe(1)
  })
})

describe('a worker that is asked for its metrics', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('and does not answer leaves no sum without it', async () => {
    const primary = new EventEmitter()
    const collect = metricsOfWorkers(primary)
    workerOf(primary)
    workerOf(primary, false)
    const collecting = Promise.allSettled([collect()])
    await vi.advanceTimersByTimeAsync(2_000)
    expect(await collecting).toEqual([
      { status: 'rejected', reason: new Error('a worker gave no metrics within 2000 ms') },
    ])
  })

  it('and goes away meanwhile counts with what it gave last', async () => {
    const primary = new EventEmitter()
    const collect = metricsOfWorkers(primary)
    const silent = workerOf(primary, false)
    const { total } = workerOf(primary)
    total.inc({ operation: 'a' })
    const collecting = collect()
    silent.exit()
    expect(samples(await collecting).get('total{operation="a"}')).toBe(1)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('and goes away meanwhile is not counted once more among those that are gone', async () => {
    const primary = new EventEmitter()
    const collect = metricsOfWorkers(primary)
    const { total, exit } = workerOf(primary)
    total.inc({ operation: 'a' }, 2)
    await collect()
    const collecting = collect()
    exit()
    expect(samples(await collecting).get('total{operation="a"}')).toBe(2)
    expect(samples(await collect()).get('total{operation="a"}')).toBe(2)
  })
})
