import { mkdtempSync, rmSync, stat, watch, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as tick } from 'node:timers/promises'
import { busyFor, countTicks } from '@canopy/test-support'
import { afterAll, describe, expect, it } from 'vitest'
import { endOfTick, polled, singleFlight, slices } from '../src/eventLoop.js'

describe('of works in slices', () => {
  /** The pieces of two works beside each other, each with its tick, where a piece takes so many milliseconds. */
  const twoWorks = async (pieces: number, pieceMs: number) => {
    const ticks = countTicks()
    const happened: Array<{ piece: string; tick: number }> = []
    const work = async (name: string) => {
      const sliceEnd = slices()
      for (let piece = 1; piece <= pieces; piece += 1) {
        await sliceEnd()
        happened.push({ piece: `${name}${piece}`, tick: ticks.count() })
        busyFor(pieceMs)
      }
    }
    await Promise.all([work('a'), work('b')])
    ticks.stop()
    return happened
  }

  it('one goes on in each tick of the event loop, in turn', async () => {
    const happened = await twoWorks(3, 5)
    expect(happened.map(({ piece }) => piece)).toEqual(['a1', 'b1', 'a2', 'b2', 'a3', 'b3'])
    expect(new Set(happened.slice(1).map(({ tick }) => tick)).size).toBe(5)
  })

  it('each goes on without waiting as long as its slice lasts', async () => {
    const happened = await twoWorks(1000, 0)
    expect(new Set(happened.map(({ tick }) => tick)).size).toBeLessThan(200)
  })
})

/** Works that answer how many have begun, and end when a test says so. */
const works = () => {
  const ends: Array<() => void> = []
  const work = () => {
    const end = new Promise<void>((resolve) => void ends.push(resolve))
    return { answer: Promise.resolve(`work ${ends.length}`), end }
  }
  return { work, begun: () => ends.length, end: () => ends.at(-1)?.() }
}

describe('single flight', () => {
  it('answers all who asked before the work began, and holds up none who asks for something else', async () => {
    const { work, begun } = works()
    const ask = singleFlight<string>()
    expect(await Promise.all([ask('key', work), ask('key', work)])).toEqual(['work 1', 'work 1'])
    expect(begun()).toBe(1)
    expect(await ask('other', work)).toBe('work 2')
  })

  it('makes who asks later wait for its end, and begins again, once for all of them', async () => {
    const { work, begun, end } = works()
    const ask = singleFlight<string>()
    await ask('key', work)
    const later = [ask('key', work), ask('key', work)]
    await tick()
    expect(begun()).toBe(1)
    end()
    expect(await Promise.all(later)).toEqual(['work 2', 'work 2'])
  })

  it('answers who waited with what is known at its end', async () => {
    const { work, begun, end } = works()
    const known = new Map<string, string>()
    const ask = singleFlight((key) => known.get(key))
    await ask('key', work)
    const later = ask('key', work)
    known.set('key', 'known')
    end()
    expect([await later, begun()]).toEqual(['known', 1])
  })

  const abandonable = () => {
    const signals: Array<AbortSignal> = []
    const work = (abandoned: AbortSignal) => {
      signals.push(abandoned)
      const answer = new Promise<string>((resolve) => abandoned.addEventListener('abort', () => resolve('abandoned')))
      return { answer, end: answer }
    }
    return { ask: singleFlight<string>(), work, isAbandoned: () => signals.map(({ aborted }) => aborted) }
  }

  it('reports to the work that the last client has gone, and not before', async () => {
    const { ask, work, isAbandoned } = abandonable()
    const [one, other] = [new AbortController(), new AbortController()]
    const answers = [ask('key', work, one.signal), ask('key', work, other.signal)]
    await tick()
    one.abort()
    expect(isAbandoned()).toEqual([false])
    other.abort()
    expect(await Promise.all(answers)).toEqual(['abandoned', 'abandoned'])
  })

  it('does not begin where no one waits but one who has gone already', async () => {
    const { ask, work, isAbandoned } = abandonable()
    await expect(ask('key', work, AbortSignal.abort())).rejects.toThrow('no one waited')
    expect(isAbandoned()).toEqual([])
  })

  it('gives nothing up for one who waits without a signal', async () => {
    const { ask, work, isAbandoned } = abandonable()
    const one = new AbortController()
    void ask('key', work, one.signal)
    void ask('key', work)
    await tick()
    one.abort()
    expect(isAbandoned()).toEqual([false])
  })

  it('begins again for one who asks when all others have gone', async () => {
    const { ask, work, isAbandoned } = abandonable()
    const [one, later] = [new AbortController(), new AbortController()]
    const gone = ask('key', work, one.signal)
    one.abort()
    const answer = ask('key', work, later.signal)
    await expect(gone).rejects.toThrow('no one waited')
    await tick()
    expect(isAbandoned()).toEqual([false])
    later.abort()
    expect(await answer).toBe('abandoned')
  })

  it('goes on after work that failed', async () => {
    const ask = singleFlight<string>()
    const failing = () => {
      const answer = Promise.reject(new Error('failed'))
      return { answer, end: answer }
    }
    const failed = await Promise.allSettled([ask('key', failing), ask('key', failing)])
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(await ask('key', works().work)).toBe('work 1')
  })
})

/** Goes on where requests are read: in the phase of the loop in which it polls, from what the last poll found. */
const whileReading = <A>(goOn: () => Promise<A>): Promise<A> =>
  new Promise((resolve) => stat('.', () => resolve(goOn())))

const ticksOf = async (wait: () => Promise<void>): Promise<number> => {
  const ticks = countTicks()
  const before = ticks.count()
  await wait()
  ticks.stop()
  return ticks.count() - before
}

describe('once the loop has polled', () => {
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

  it('what was queued before has been delivered, while the end of the tick is too soon', async () => {
    const atTheEnd = await whileReading(async () => {
      touch()
      await endOfTick()
      return seen
    })
    expect(atTheEnd).toBe(0)
    await whileReading(async () => {
      touch()
      await polled()
    })
    expect(seen).toBeGreaterThan(0)
  })

  it('so it has for who asks at the end of a tick, a tick later; all who wait for one poll wait together', async () => {
    await endOfTick()
    touch()
    await polled()
    expect(seen).toBeGreaterThan(0)
    expect(await ticksOf(async () => endOfTick().then(polled))).toBe(2)
    expect(await whileReading(() => ticksOf(polled))).toBe(2)
    await whileReading(async () => expect(polled()).toBe(polled()))
    await endOfTick()
    expect(polled()).toBe(polled())
  })
})
