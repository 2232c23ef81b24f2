import { mkdtempSync, rmSync, stat, watch, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { busyFor, countTicks } from '@canopy/test-support'
import { afterAll, describe, expect, it } from 'vitest'
import { afterNextPoll, endOfTick, timeSlices } from '../src/yielding.js'

describe('time slices', () => {
  /** Runs two workers concurrently and records the tick of each piece of work. */
  const twoWorkers = async (pieces: number, pieceMs: number) => {
    const ticks = countTicks()
    const happened: Array<{ piece: string; tick: number }> = []
    const work = async (name: string) => {
      const yieldAtEnd = timeSlices()
      for (let piece = 1; piece <= pieces; piece += 1) {
        await yieldAtEnd()
        happened.push({ piece: `${name}${piece}`, tick: ticks.count() })
        busyFor(pieceMs)
      }
    }
    await Promise.all([work('a'), work('b')])
    ticks.stop()
    return happened
  }

  it('resume one worker in each tick, in turn', async () => {
    const happened = await twoWorkers(3, 5)
    expect(happened.map(({ piece }) => piece)).toEqual(['a1', 'b1', 'a2', 'b2', 'a3', 'b3'])
    expect(new Set(happened.slice(1).map(({ tick }) => tick)).size).toBe(5)
  })

  it('do not yield before they are used up', async () => {
    const happened = await twoWorkers(1000, 0)
    expect(new Set(happened.map(({ tick }) => tick)).size).toBeLessThan(200)
  })
})

/** Runs in the poll phase of the loop, where requests are read, with what the last poll found. */
const whilePolling = <A>(act: () => Promise<A>): Promise<A> => new Promise((resolve) => stat('.', () => resolve(act())))

const ticksOf = async (wait: () => Promise<void>): Promise<number> => {
  const ticks = countTicks()
  const before = ticks.count()
  await wait()
  ticks.stop()
  return ticks.count() - before
}

describe('after the next poll', () => {
  const directory = mkdtempSync(join(tmpdir(), 'canopy-ticks-'))
  let seen = 0
  const watcher = watch(directory, () => {
    seen += 1
  })
  afterAll(() => {
    watcher.close()
    rmSync(directory, { recursive: true })
  })

  const touch = (): void => {
    seen = 0
    writeFileSync(join(directory, 'file'), '')
  }

  it('queued events have been delivered; at the end of the tick they have not', async () => {
    const atEndOfTick = await whilePolling(async () => {
      touch()
      await endOfTick()
      return seen
    })
    expect(atEndOfTick).toBe(0)
    await whilePolling(async () => {
      touch()
      await afterNextPoll()
    })
    expect(seen).toBeGreaterThan(0)
  })

  it('a caller at the end of a tick waits one tick', async () => {
    await endOfTick()
    touch()
    await afterNextPoll()
    expect(seen).toBeGreaterThan(0)
    expect(await ticksOf(async () => endOfTick().then(afterNextPoll))).toBe(2)
    expect(await whilePolling(() => ticksOf(afterNextPoll))).toBe(2)
  })

  it('all callers of one poll share a promise', async () => {
    await whilePolling(async () => expect(afterNextPoll()).toBe(afterNextPoll()))
    await endOfTick()
    expect(afterNextPoll()).toBe(afterNextPoll())
  })
})
