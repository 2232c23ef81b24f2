import { setImmediate as tick } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { singleFlight } from '../src/singleFlight.js'

/** A flight whose calls answer when a test ends them, or when their signal aborts. */
const setUp = (cached?: (key: string) => string | undefined) => {
  const flight = singleFlight<string>(cached)
  const signals: Array<AbortSignal | undefined> = []
  const ends: Array<() => void> = []
  const call = (signal?: AbortSignal) => {
    signals.push(signal)
    const answer = `call ${signals.length}`
    return new Promise<string>((resolve) => {
      ends.push(() => resolve(answer))
      signal?.addEventListener('abort', () => resolve('cancelled'))
    })
  }
  return {
    ask: (signal?: AbortSignal, key = 'key') => flight(key, call, signal),
    end: () => ends.at(-1)?.(),
    count: () => signals.length,
    isCancelled: () => signals.map((signal) => signal?.aborted),
  }
}

describe('single flight', () => {
  it('makes one call for all callers that came before it began, and the next for later ones', async () => {
    const { ask, count, end } = setUp()
    const first = [ask(), ask()]
    await tick()
    const later = [ask(), ask()]
    await tick()
    expect(count()).toBe(1)
    end()
    expect(await Promise.all(first)).toEqual(['call 1', 'call 1'])
    await tick()
    end()
    expect(await Promise.all(later)).toEqual(['call 2', 'call 2'])
  })

  it('does not delay callers of another key', async () => {
    const { ask, count } = setUp()
    void ask()
    void ask(undefined, 'other')
    await tick()
    expect(count()).toBe(2)
  })

  it('delays the next call until the work of the first has ended', async () => {
    const flight = singleFlight<number>()
    let end = (): void => undefined
    const work = { answer: Promise.resolve(1), end: new Promise<void>((resolve) => (end = resolve)) }
    expect(await flight('key', () => work)).toBe(1)
    const later = flight('key', async () => 2)
    expect(await Promise.race([later, tick('waits')])).toBe('waits')
    end()
    expect(await later).toBe(2)
  })

  it('answers later callers with a known value instead of a call', async () => {
    const known = new Map<string, string>()
    const { ask, count, end } = setUp((key) => known.get(key))
    void ask()
    await tick()
    const later = ask()
    known.set('key', 'known')
    end()
    expect([await later, count()]).toEqual(['known', 1])
  })

  it('cancels the call when the last caller leaves, and not before', async () => {
    const { ask, isCancelled } = setUp()
    const [one, other] = [new AbortController(), new AbortController()]
    const answers = [ask(one.signal), ask(other.signal)]
    await tick()
    one.abort()
    expect(isCancelled()).toEqual([false])
    other.abort()
    expect(await Promise.all(answers)).toEqual(['cancelled', 'cancelled'])
  })

  it('never cancels a call that a caller without a signal awaits', async () => {
    for (const isFirst of [true, false]) {
      const { ask, isCancelled } = setUp()
      const leaving = new AbortController()
      void ask(isFirst ? leaving.signal : undefined)
      void ask(isFirst ? undefined : leaving.signal)
      await tick()
      leaving.abort()
      expect(isCancelled()).toEqual([isFirst ? false : undefined])
    }
  })

  it('makes no call if every caller has left, and begins again for a later one', async () => {
    const { ask, isCancelled } = setUp()
    await expect(ask(AbortSignal.abort())).rejects.toThrow('every caller has left')
    const [one, later] = [new AbortController(), new AbortController()]
    const left = ask(one.signal)
    one.abort()
    const answer = ask(later.signal)
    await expect(left).rejects.toThrow('every caller has left')
    await tick()
    expect(isCancelled()).toEqual([false])
    later.abort()
    expect(await answer).toBe('cancelled')
  })

  it('calls again after a failure', async () => {
    const flight = singleFlight<number>()
    await expect(flight('key', () => Promise.reject(new Error('failed')))).rejects.toThrow('failed')
    expect(await flight('key', async () => 1)).toBe(1)
  })
})
