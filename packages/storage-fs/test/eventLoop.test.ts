import { type FSWatcher, mkdtempSync, rmSync, stat, watch, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as round } from 'node:timers/promises'
import { busyFor, countTicks } from '@canopy/test-support'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { endOfTick, mapInSlices, polled, singleFlight } from '../src/eventLoop.js'

describe('mapInSlices', () => {
  it('maps in order', async () => {
    expect(await mapInSlices([1, 2, 3], (n) => n * 2)).toEqual([2, 4, 6])
    expect(await mapInSlices([], String)).toEqual([])
  })

  it('lets other work in before it begins', async () => {
    const happened: Array<string> = []
    setImmediate(() => happened.push('other'))
    await mapInSlices(['first'], (each) => happened.push(each))
    expect(happened).toEqual(['other', 'first'])
  })

  it('lets other work in between', async () => {
    const happened: Array<string> = []
    await mapInSlices(['first', 'second'], (each) => {
      if (each === 'first') setImmediate(() => happened.push('other'))
      happened.push(each)
      busyFor(20)
    })
    expect(happened).toEqual(['first', 'other', 'second'])
  })

  it('takes turns: one slice in a round of the event loop, however many map at once', async () => {
    const rounds = countTicks()
    const happened: Array<readonly [string, number]> = []
    const slowly = (name: string) =>
      mapInSlices([1, 2], (each) => {
        happened.push([`${name}${each}`, rounds.count()])
        busyFor(20)
      })
    await Promise.all([slowly('a'), slowly('b')])
    rounds.stop()
    expect(happened.map(([what]) => what)).toEqual(['a1', 'b1', 'a2', 'b2'])
    expect(new Set(happened.map(([, at]) => at)).size).toBe(4)
  })

  it('fails when one fails', async () => {
    await expect(
      mapInSlices([1], () => {
        throw new Error('EIO')
      }),
    ).rejects.toThrow('EIO')
  })
})

/** Works that answer how many began before, and end when they are told to. */
const works = () => {
  const ends: Array<() => void> = []
  const work = () => {
    const end = new Promise<void>((resolve) => void ends.push(resolve))
    return { answer: Promise.resolve(`work ${ends.length}`), end }
  }
  return { work, begun: () => ends.length, end: () => ends.at(-1)?.() }
}

describe('one at a time', () => {
  it('answers all who asked before the work began', async () => {
    const { work, begun } = works()
    const ask = singleFlight<string>(() => undefined)
    expect(await Promise.all([ask('key', work), ask('key', work)])).toEqual(['work 1', 'work 1'])
    expect(begun()).toBe(1)
  })

  it('makes who asks later wait for its end, and begins anew, once for all of them', async () => {
    const { work, begun, end } = works()
    const ask = singleFlight<string>(() => undefined)
    await ask('key', work)
    const later = [ask('key', work), ask('key', work)]
    await round()
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

  it('holds up nobody who asks for something else', async () => {
    const { work } = works()
    const ask = singleFlight<string>(() => undefined)
    expect([await ask('key', work), await ask('other', work)]).toEqual(['work 1', 'work 2'])
  })

  const abandonable = () => {
    const signals: Array<AbortSignal> = []
    const work = (abandoned: AbortSignal) => {
      signals.push(abandoned)
      const answer = new Promise<string>((resolve) => abandoned.addEventListener('abort', () => resolve('abandoned')))
      return { answer, end: answer }
    }
    return { work, signals }
  }

  it('reports to the work that the last client has gone, and not before', async () => {
    const { work, signals } = abandonable()
    const ask = singleFlight<string>()
    const [one, other] = [new AbortController(), new AbortController()]
    const answers = [ask('key', work, one.signal), ask('key', work, other.signal)]
    await round()
    one.abort()
    expect(signals.map(({ aborted }) => aborted)).toEqual([false])
    other.abort()
    expect(await Promise.all(answers)).toEqual(['abandoned', 'abandoned'])
  })

  it('does not begin where no one waits but one who has gone already', async () => {
    const { work, signals } = abandonable()
    const ask = singleFlight<string>()
    await expect(ask('key', work, AbortSignal.abort())).rejects.toThrow('no one waited')
    expect(signals).toEqual([])
  })

  it('gives nothing up for one who waits without a signal', async () => {
    const { work, signals } = abandonable()
    const ask = singleFlight<string>()
    const one = new AbortController()
    void ask('key', work, one.signal)
    void ask('key', work)
    await round()
    one.abort()
    expect(signals.map(({ aborted }) => aborted)).toEqual([false])
  })

  it('begins again for one who asks when all others have gone', async () => {
    const { work, signals } = abandonable()
    const ask = singleFlight<string>()
    const one = new AbortController()
    const gone = ask('key', work, one.signal)
    one.abort()
    const later = new AbortController()
    const answer = ask('key', work, later.signal)
    await expect(gone).rejects.toThrow('no one waited')
    await round()
    expect(signals.map(({ aborted }) => aborted)).toEqual([false])
    later.abort()
    expect(await answer).toBe('abandoned')
  })

  it('goes on after work that failed', async () => {
    const { work } = works()
    const ask = singleFlight<string>(() => undefined)
    const failing = () => {
      const answer = Promise.reject(new Error('failed'))
      return { answer, end: answer }
    }
    const failed = await Promise.allSettled([ask('key', failing), ask('key', failing)])
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(await ask('key', work)).toBe('work 1')
  })
})

/** Goes on where requests are read: in the phase of the loop in which it polls, from what the last poll found. */
const whileReading = <A>(goOn: () => Promise<A>): Promise<A> =>
  new Promise((resolve) => stat('.', () => resolve(goOn())))

const roundsOf = async (wait: () => Promise<void>): Promise<number> => {
  const rounds = countTicks()
  const before = rounds.count()
  await wait()
  rounds.stop()
  return rounds.count() - before
}

describe('once the loop has polled', () => {
  let directory = ''
  let watcher: FSWatcher
  let noticed = 0
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'canopy-rounds-'))
    noticed = 0
    watcher = watch(directory, () => {
      noticed += 1
    })
  })
  afterEach(() => {
    watcher.close()
    rmSync(directory, { recursive: true })
  })

  const touch = (): void => writeFileSync(join(directory, 'file'), '')

  it('what was queued before has been delivered, while the end of the round is too soon', async () => {
    const atTheEnd = await whileReading(async () => {
      touch()
      await endOfTick()
      return noticed
    })
    expect(atTheEnd).toBe(0)
    await whileReading(async () => {
      noticed = 0
      touch()
      await polled()
    })
    expect(noticed).toBeGreaterThan(0)
  })

  it('so it has for who asks at the end of a round, a round later', async () => {
    await endOfTick()
    touch()
    await polled()
    expect(noticed).toBeGreaterThan(0)
    expect(await roundsOf(async () => endOfTick().then(polled))).toBe(2)
    expect(await whileReading(() => roundsOf(polled))).toBe(2)
  })

  it('all who wait for the same poll wait together', async () => {
    await whileReading(async () => expect(polled()).toBe(polled()))
    await endOfTick()
    expect(polled()).toBe(polled())
  })
})
