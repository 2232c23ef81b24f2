import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Checks, readiness } from '../../src/observe/health.js'
import { later } from '../later.js'

const fine = TE.right(undefined)
const broken = TE.left(new Error('broken'))
const throwing = () => {
  throw new Error('thrown')
}
const hanging = () => new Promise<never>(() => undefined)

/** A check that counts how often it is asked. */
const counting = (check: Checks[string]) => {
  const asked = { times: 0 }
  const counted: Checks[string] = () => {
    asked.times += 1
    return check()
  }
  return { asked, check: counted }
}

describe('readiness', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('is given when every part answers', async () => {
    expect(await readiness({ registry: fine, storage: fine }).verdict()).toEqual({ is: 'ready' })
  })

  it('names the parts that fail, reject or throw, and the causes in the log alone', async () => {
    const told: Array<unknown> = []
    const checks = { a: broken, b: fine, c: () => Promise.reject(new Error('rejected')), d: throwing }
    const { verdict } = readiness(checks, (part, cause) => told.push([part, (cause as Error).message]))
    expect(await verdict()).toEqual({ is: 'failed', parts: ['a', 'c', 'd'] })
    expect(new Map(told as ReadonlyArray<[string, string]>)).toEqual(
      new Map([
        ['a', 'broken'],
        ['c', 'rejected'],
        ['d', 'thrown'],
      ]),
    )
  })

  it('tells of no failure of a part that answered in time, also later', async () => {
    const told: Array<string> = []
    const { verdict } = readiness({ registry: fine }, (part) => told.push(part))
    expect(await verdict()).toEqual({ is: 'ready' })
    await vi.advanceTimersByTimeAsync(10_000)
    expect(told).toEqual([])
  })

  it('gives a part two seconds', async () => {
    let verdict: unknown = 'none yet'
    const { verdict: ask } = readiness({ storage: hanging, registry: fine })
    void ask().then((found) => {
      verdict = found
      return found
    })
    await vi.advanceTimersByTimeAsync(1_999)
    expect(verdict).toBe('none yet')
    await vi.advanceTimersByTimeAsync(1)
    expect(verdict).toEqual({ is: 'failed', parts: ['storage'] })
  })

  it('asks each part once for all who ask within a second', async () => {
    const { asked, check } = counting(fine)
    const { verdict } = readiness({ storage: check })
    await Promise.all([verdict(), verdict(), verdict()])
    await vi.advanceTimersByTimeAsync(999)
    await verdict()
    expect(asked.times).toBe(1)
    await vi.advanceTimersByTimeAsync(1)
    await verdict()
    expect(asked.times).toBe(2)
  })

  it('keeps a verdict for a second from when it was found, not from when it was asked for', async () => {
    const { asked, check } = counting(() => new Promise((resolve) => setTimeout(resolve, 1_500, E.right(1))))
    const { verdict } = readiness({ storage: check })
    const first = verdict()
    await vi.advanceTimersByTimeAsync(1_500)
    await first
    await vi.advanceTimersByTimeAsync(999)
    await verdict()
    expect(asked.times).toBe(1)
  })

  it('asks again a quarter of a second after a part has failed', async () => {
    const { asked, check } = counting(broken)
    const { verdict } = readiness({ registry: check })
    await verdict()
    await vi.advanceTimersByTimeAsync(249)
    await verdict()
    expect(asked.times).toBe(1)
    await vi.advanceTimersByTimeAsync(1)
    await verdict()
    expect(asked.times).toBe(2)
  })

  it('does not ask a part again that still hangs, and hears when it answers at last', async () => {
    const answer = later<E.Either<unknown, unknown>>()
    const { asked, check } = counting(() => answer.value)
    const { verdict } = readiness({ storage: check })
    const ask = async () => {
      const found = verdict()
      await vi.advanceTimersByTimeAsync(2_000)
      return found
    }
    expect(await ask()).toEqual({ is: 'failed', parts: ['storage'] })
    await vi.advanceTimersByTimeAsync(5_000)
    expect(await ask()).toEqual({ is: 'failed', parts: ['storage'] })
    expect(asked.times).toBe(1)
    await vi.advanceTimersByTimeAsync(5_000)
    const next = verdict()
    answer.give(E.right(undefined))
    expect(await next).toEqual({ is: 'ready' })
  })

  it('ends at once and for good when the server drains', async () => {
    const { asked, check } = counting(fine)
    const { verdict, drain } = readiness({ storage: check })
    await verdict()
    drain()
    expect(await verdict()).toEqual({ is: 'draining' })
    await vi.advanceTimersByTimeAsync(10_000)
    expect(await verdict()).toEqual({ is: 'draining' })
    expect(asked.times).toBe(1)
  })

  it('ends also for who asked just before', async () => {
    const { verdict, drain } = readiness({ storage: fine })
    const asked = verdict()
    drain()
    expect(await asked).toEqual({ is: 'draining' })
  })
})
