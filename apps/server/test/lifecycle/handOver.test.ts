import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { enough, missed, ready, taken } from '../../src/cluster/words.js'
import { primaryOf } from './primaryOf.js'

const waitMs = 10_000
const askMs = 250

/** Longer than it takes to answer who has enough. */
const aWhile = () => sleep(80)

describe('who hands connections over', () => {
  afterEach(() => void vi.useRealTimers())

  it('opens the port once, when the first worker is ready', async () => {
    const { told, opened, worker } = primaryOf()
    expect(told).toEqual([])
    worker('a')
    worker('b')
    expect(told).toEqual(['port opened'])
    expect(await opened).toMatchObject({ right: { port: 1 } })
  })

  it('says why the port could not be opened', async () => {
    const { opened, worker } = primaryOf('taken')
    worker('a')
    expect(await opened).toEqual({ _tag: 'Left', left: 'taken' })
  })

  it('gives workers connections in turn', () => {
    const { told, come, worker } = primaryOf()
    const [a, b] = [worker('a'), worker('b')]
    for (const next of [a, b, a]) {
      come()
      next.says(taken)
    }
    expect(told.slice(1)).toEqual(['connection 1 to a', 'connection 2 to b', 'connection 3 to a'])
  })

  it('gives a worker the next one when it has taken the last, and keeps that itself until then', () => {
    const { told, come, worker } = primaryOf()
    const a = worker('a')
    const [first, second] = [come(), come()]
    expect([told.slice(1), first.destroyed]).toEqual([['connection 1 to a'], false])
    a.says(taken)
    expect([told.slice(2), first.destroyed, second.destroyed]).toEqual([['connection 2 to a'], true, false])
  })

  it('gives what waits to the next that is ready, the oldest first', async () => {
    const { told, come, worker } = primaryOf()
    await worker('a').dies()
    come()
    come()
    worker('b').says(taken)
    expect(told.slice(1)).toEqual(['connection 1 to b', 'connection 2 to b'])
  })

  it('gives what a dead worker has not taken to another, and nothing more to the dead', async () => {
    const { told, come, worker } = primaryOf()
    const a = worker('a')
    const first = come()
    const b = worker('b')
    await a.dies()
    expect([told.slice(1), first.destroyed]).toEqual([['connection 1 to a', 'connection 1 to b'], false])
    b.says(taken)
    come()
    expect(told.at(-1)).toBe('connection 2 to b')
  })

  it('gives nobody what a dead worker had taken, also where that is heard after its end', async () => {
    const { told, come, worker } = primaryOf()
    const a = worker('a')
    const first = come()
    worker('b')
    await a.dies(taken)
    expect([told.slice(1), first.destroyed]).toEqual([['connection 1 to a'], true])
  })

  it('asks a worker that does not take its own whether that has come; one that did not is let go, and told of', async () => {
    vi.useFakeTimers()
    const { lost, told, come, worker } = primaryOf()
    const a = worker('a')
    come()
    a.says(taken)
    const [second] = [come(), come()]
    await vi.advanceTimersByTimeAsync(askMs)
    expect([told.at(-1), lost, second?.destroyed]).toEqual(['{"given":2} to a', [], false])
    a.says(missed)
    expect([told.at(-1), lost, second?.destroyed]).toEqual(['connection 3 to a', ['lost'], true])
    a.says(taken)
    const before = told.length
    await vi.advanceTimersByTimeAsync(10 * askMs)
    expect(told.slice(before)).toEqual([])
  })

  it('asks a worker that does not move once for each connection', async () => {
    vi.useFakeTimers()
    const { told, come, worker } = primaryOf()
    worker('stopped')
    come()
    await vi.advanceTimersByTimeAsync(20 * askMs)
    expect(told.slice(1)).toEqual(['connection 1 to stopped', '{"given":1} to stopped'])
  })

  it('cuts what no worker has taken for ten seconds', async () => {
    vi.useFakeTimers()
    const { told, come, worker } = primaryOf()
    const a = worker('a')
    const [onTheWay, waits] = [come(), come()]
    await vi.advanceTimersByTimeAsync(waitMs - 1)
    expect([onTheWay.destroyed, waits.destroyed]).toEqual([false, false])
    await vi.advanceTimersByTimeAsync(1)
    expect([onTheWay.destroyed, waits.destroyed]).toEqual([true, true])
    await a.dies()
    worker('b')
    come()
    expect(told.filter((word) => word.startsWith('connection'))).toEqual(['connection 1 to a', 'connection 3 to b'])
  })

  it('gives one that has enough nothing more, and tells it when all has come', async () => {
    const { told, come, worker } = primaryOf()
    const [a, b] = [worker('a'), worker('b')]
    come()
    a.says(enough)
    await aWhile()
    a.says(taken)
    come()
    b.says(taken)
    come()
    expect(told.slice(1)).toEqual(['connection 1 to a', 'last to a', 'connection 2 to b', 'connection 3 to b'])
  })

  it('keeps the port open for the next worker, as long as the service does not end', async () => {
    const { told, come, worker } = primaryOf()
    worker('a').says(enough)
    await aWhile()
    come()
    worker('b')
    expect(told.slice(1)).toEqual(['last to a', 'connection 1 to b'])
  })

  it('closes the port when one has enough and the service ends, and gives what came to all that are there', async () => {
    const { told, end, come, worker, closed } = primaryOf()
    const [a, b] = [worker('a'), worker('b')]
    end()
    a.says(enough)
    for (const _ of [1, 2, 3, 4]) come()
    b.says(enough)
    await aWhile()
    closed()
    await aWhile()
    expect(told.slice(1)).toEqual(['connection 1 to a', 'connection 2 to b'])
    b.says(taken)
    b.says(taken)
    await aWhile()
    expect(told.slice(3, 5)).toEqual(['connection 3 to b', 'connection 4 to b'])
    expect(told.slice(5).sort()).toEqual(['last to a', 'last to b'])
  })

  it('lets a worker that is stopped keep nobody else from leaving', async () => {
    const { told, end, come, worker, closed } = primaryOf()
    worker('stopped')
    const b = worker('b')
    come()
    end()
    closed()
    b.says(enough)
    await aWhile()
    expect(told.slice(1)).toEqual(['connection 1 to stopped', 'last to b'])
  })

  it('gives nothing to a worker that had enough and is gone', async () => {
    const { told, come, worker } = primaryOf()
    const [a, b] = [worker('a'), worker('b')]
    come()
    come()
    come()
    await a.dies(enough)
    b.says(taken)
    b.says(taken)
    await aWhile()
    expect(told.slice(1)).toEqual([
      'connection 1 to a',
      'connection 2 to b',
      'connection 3 to b',
      'connection 1 to b',
      'last to a',
    ])
  })

  it('forgets a worker whose first word is heard after its end', async () => {
    const { told, come, worker } = primaryOf()
    const [a] = [worker('a'), worker('b')]
    await a.dies(ready)
    come()
    expect(told.slice(1)).toEqual(['connection 1 to b'])
  })

  it('hears of the end in time when a signal to all reaches the workers first', async () => {
    const { told, end, worker, closed } = primaryOf()
    const [a, b] = [worker('a'), worker('b')]
    a.says(enough)
    b.says(enough)
    await sleep(10)
    end()
    await aWhile()
    expect(told.slice(1)).toEqual(['last to a'])
    closed()
    await aWhile()
    expect(told.slice(1)).toEqual(['last to a', 'last to b'])
  })
})
