import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { tellWhenSlow } from '../src/tellWhenSlow.js'

describe('what is said of a task', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  const watched = () => {
    const told: Array<string> = []
    return { told, whenSlow: tellWhenSlow((line) => told.push(line), 10_000)('still at it') }
  }
  const takes = (ms: number) => () => new Promise<number>((resolve) => setTimeout(() => resolve(ms), ms))

  it('is a line, once, when it takes long', async () => {
    const { told, whenSlow } = watched()
    const answer = whenSlow(takes(60_000))()
    await vi.advanceTimersByTimeAsync(9_999)
    expect(told).toEqual([])
    await vi.advanceTimersByTimeAsync(60_000)
    expect([await answer, told]).toEqual([60_000, ['still at it']])
  })

  it('is nothing when it ends soon, and nothing is left that keeps the process', async () => {
    const { told, whenSlow } = watched()
    const answer = whenSlow(takes(9_000))()
    await vi.advanceTimersByTimeAsync(9_000)
    expect(await answer).toBe(9_000)
    await expect(whenSlow(() => Promise.reject(new Error('no')))()).rejects.toThrow('no')
    expect([told, vi.getTimerCount()]).toEqual([[], 0])
  })
})
