import type { LimitFunction } from 'p-limit'
import { describe, expect, it } from 'vitest'
import { areaQueues } from '../../src/read/areaQueues.js'

describe('the queues of areas', () => {
  /** Work for an area, which ends when a test says so. */
  const asking = () => {
    const byKey = new Map<string, LimitFunction>()
    const queued = areaQueues(3, byKey)
    let begun = 0
    const ask = (area: string) => {
      let end: (error?: Error) => void = () => undefined
      const over = queued(area, () => {
        begun += 1
        return new Promise<void>((resolve, reject) => {
          end = (error) => (error === undefined ? resolve() : reject(error))
        })
      })
      return { over, end: (error?: Error) => end(error) }
    }
    return { byKey, ask, begun: () => begun }
  }

  it('are removed when they are empty', async () => {
    const { byKey, ask } = asking()
    const works = ['a', 'b', 'a', 'c'].map(ask)
    await expect.poll(() => byKey.size).toBe(3)
    for (const { end } of works) end()
    await Promise.all(works.map(({ over }) => over))
    expect(byKey.size).toBe(0)
  })

  it('are removed when their work fails', async () => {
    const { byKey, ask, begun } = asking()
    const { over, end } = ask('a')
    await expect.poll(begun).toBe(1)
    end(new Error('gone'))
    await expect(over).rejects.toThrow('gone')
    expect(byKey.size).toBe(0)
  })

  it('run three works of an area at once, also while others wait', async () => {
    const { byKey, ask, begun } = asking()
    const works = Array.from({ length: 5 }, () => ask('a'))
    await expect.poll(begun).toBe(3)
    works[0]?.end()
    await works[0]?.over
    works.push(ask('a'))
    await expect.poll(begun).toBe(4)
    for (const { over, end } of works.slice(1)) {
      await expect.poll(begun).toBeGreaterThanOrEqual(4)
      end()
      await over
    }
    expect([begun(), byKey.size]).toEqual([6, 0])
  })
})
