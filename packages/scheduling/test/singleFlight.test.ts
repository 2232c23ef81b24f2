import { setImmediate as tick } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { singleFlight } from '../src/singleFlight.js'

/** Calls that answer with their number and end when a test says so. */
const numberedCalls = () => {
  const ends: Array<() => void> = []
  const call = () => {
    const end = new Promise<void>((resolve) => void ends.push(resolve))
    return { answer: Promise.resolve(`call ${ends.length}`), end }
  }
  return { call, count: () => ends.length, end: () => ends.at(-1)?.() }
}

describe('single flight', () => {
  it('makes one call for all callers that came before it began', async () => {
    const { call, count } = numberedCalls()
    const flight = singleFlight<string>()
    expect(await Promise.all([flight('key', call), flight('key', call)])).toEqual(['call 1', 'call 1'])
    expect(count()).toBe(1)
  })

  it('does not delay callers of another key', async () => {
    const { call } = numberedCalls()
    const flight = singleFlight<string>()
    await flight('key', call)
    expect(await flight('other', call)).toBe('call 2')
  })

  it('gives later callers the next call, which begins when the first has ended', async () => {
    const { call, count, end } = numberedCalls()
    const flight = singleFlight<string>()
    await flight('key', call)
    const later = [flight('key', call), flight('key', call)]
    await tick()
    expect(count()).toBe(1)
    end()
    expect(await Promise.all(later)).toEqual(['call 2', 'call 2'])
  })

  it('ends a call that is a plain promise with its answer', async () => {
    const answers: Array<(answer: number) => void> = []
    const flight = singleFlight<number>()
    const ask = () => flight('key', () => new Promise((resolve) => answers.push(resolve)))
    const first = ask()
    await tick()
    const [second, third] = [ask(), ask()]
    await tick()
    expect(answers).toHaveLength(1)
    answers[0]?.(1)
    expect(await first).toBe(1)
    await tick()
    expect(answers).toHaveLength(2)
    answers[1]?.(2)
    expect(await Promise.all([second, third])).toEqual([2, 2])
  })

  it('answers later callers with a known value instead of a call', async () => {
    const { call, count, end } = numberedCalls()
    const known = new Map<string, string>()
    const flight = singleFlight((key) => known.get(key))
    await flight('key', call)
    const later = flight('key', call)
    known.set('key', 'known')
    end()
    expect([await later, count()]).toEqual(['known', 1])
  })

  const cancellable = () => {
    const signals: Array<AbortSignal | undefined> = []
    const call = (signal: AbortSignal | undefined) => {
      signals.push(signal)
      return new Promise<string>((resolve) => signal?.addEventListener('abort', () => resolve('cancelled')))
    }
    return { flight: singleFlight<string>(), call, isCancelled: () => signals.map((signal) => signal?.aborted) }
  }

  it('cancels the call when the last caller leaves, and not before', async () => {
    const { flight, call, isCancelled } = cancellable()
    const [one, other] = [new AbortController(), new AbortController()]
    const answers = [flight('key', call, one.signal), flight('key', call, other.signal)]
    await tick()
    one.abort()
    expect(isCancelled()).toEqual([false])
    other.abort()
    expect(await Promise.all(answers)).toEqual(['cancelled', 'cancelled'])
  })

  it('makes no call for a caller that had already left', async () => {
    const { flight, call, isCancelled } = cancellable()
    await expect(flight('key', call, AbortSignal.abort())).rejects.toThrow('every caller has left')
    expect(isCancelled()).toEqual([])
  })

  it('never cancels a call that a caller without a signal awaits', async () => {
    const { flight, call, isCancelled } = cancellable()
    const one = new AbortController()
    void flight('key', call, one.signal)
    void flight('key', call)
    await tick()
    one.abort()
    expect(isCancelled()).toEqual([false])
  })

  it('gives no signal to a call whose first caller has none', async () => {
    const { flight, call, isCancelled } = cancellable()
    const later = new AbortController()
    void flight('key', call)
    void flight('key', call, later.signal)
    await tick()
    later.abort()
    expect(isCancelled()).toEqual([undefined])
  })

  it('begins again for a caller that comes after all others have left', async () => {
    const { flight, call, isCancelled } = cancellable()
    const [one, later] = [new AbortController(), new AbortController()]
    const left = flight('key', call, one.signal)
    one.abort()
    const answer = flight('key', call, later.signal)
    await expect(left).rejects.toThrow('every caller has left')
    await tick()
    expect(isCancelled()).toEqual([false])
    later.abort()
    expect(await answer).toBe('cancelled')
  })

  it('calls again after a call that failed', async () => {
    const flight = singleFlight<string>()
    const failing = () => Promise.reject(new Error('failed'))
    const failed = await Promise.allSettled([flight('key', failing), flight('key', failing)])
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(await flight('key', numberedCalls().call)).toBe('call 1')
  })
})
