import { stat, watch, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { busyFor, countTicks, temporaryDirectory } from '@canopy/test-support'
import { afterAll, describe, expect, it } from 'vitest'
import { afterNextPoll, endOfTick, oncePerTick, timeSlices } from '../src/yielding.js'

describe('time slices', () => {
  /** Runs two workers concurrently and records the tick of each piece of work. */
  const twoWorkers = async (pieces: number, pieceMs: number) => {
    const ticks = countTicks()
    const pieceTicks: Array<readonly [string, number]> = []
    const work = async (name: string) => {
      const yieldAtEnd = timeSlices()
      for (let piece = 1; piece <= pieces; piece += 1) {
        await yieldAtEnd()
        pieceTicks.push([`${name}${piece}`, ticks.count()])
        busyFor(pieceMs)
      }
    }
    await Promise.all([work('a'), work('b')])
    ticks.stop()
    return pieceTicks
  }

  it('resume one worker in each tick, in turn', async () => {
    const pieces = await twoWorkers(3, 5)
    expect(pieces.map(([piece]) => piece)).toEqual(['a1', 'b1', 'a2', 'b2', 'a3', 'b3'])
    expect(new Set(pieces.slice(1).map(([, tick]) => tick)).size).toBe(5)
  })

  it('do not yield before they are used up', async () => {
    expect(new Set((await twoWorkers(1000, 0)).map(([, tick]) => tick)).size).toBeLessThan(200)
  })
})

it('callers in one tick share a run that begins after all of them', async () => {
  let calls = 0
  const readCalls = oncePerTick(async () => calls)
  const call = () => {
    calls += 1
    return readCalls()
  }
  expect(await Promise.all([call(), Promise.resolve().then(call)])).toEqual([2, 2])
  expect(await call()).toBe(3)
})

/** Runs in the poll phase of the event loop, where servers read requests. */
const whilePolling = <A>(act: () => Promise<A>): Promise<A> => new Promise((resolve) => stat('.', () => resolve(act())))

describe('after the next poll', () => {
  const directory = temporaryDirectory(afterAll)
  let events = 0
  const watcher = watch(directory, () => {
    events += 1
  })
  afterAll(() => watcher.close())

  /** Counts the events of a change that are delivered before the wait ends. */
  const eventsAfter = async (wait: () => Promise<void>): Promise<number> => {
    events = 0
    writeFileSync(join(directory, 'file'), '')
    await wait()
    return events
  }

  it('the queued events have been delivered; at the end of the tick they have not', async () => {
    expect(await whilePolling(() => eventsAfter(endOfTick))).toBe(0)
    expect(await whilePolling(() => eventsAfter(afterNextPoll))).toBeGreaterThan(0)
    await endOfTick()
    expect(await eventsAfter(afterNextPoll)).toBeGreaterThan(0)
  })

  it('a caller at the end of a tick has waited one tick, another caller two', async () => {
    const ticks = countTicks()
    const ticksOf = async (wait: () => Promise<void>) => {
      const before = ticks.count()
      await wait()
      return ticks.count() - before
    }
    await endOfTick()
    expect(await ticksOf(() => endOfTick().then(afterNextPoll))).toBe(2)
    expect(await whilePolling(() => ticksOf(afterNextPoll))).toBe(2)
    ticks.stop()
  })
})
