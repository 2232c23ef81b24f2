import pino from 'pino'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { lineASecond } from '../../src/observe/log.js'

describe('the log of what is refused for too much load', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('has one line a second, as long as something is refused, with how many there were', () => {
    const lines: Array<unknown> = []
    const log = pino({ base: null, timestamp: false }, { write: (line: string) => void lines.push(JSON.parse(line)) })
    const report = lineASecond(log, 'refused', 'overloaded')
    const line = (refused: number) => ({ level: 40, refused, ms: 1000, msg: 'overloaded' })
    for (const _ of [1, 2, 3]) report()
    vi.advanceTimersByTime(999)
    expect(lines).toEqual([])
    vi.advanceTimersByTime(1)
    expect(lines).toEqual([line(3)])
    vi.advanceTimersByTime(10_000)
    for (const _ of [1, 2]) report()
    vi.advanceTimersByTime(1_000)
    expect(lines).toEqual([line(3), line(2)])
  })
})
