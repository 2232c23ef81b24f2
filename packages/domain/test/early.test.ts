import { describe, expect, it } from 'vitest'
import { early } from '../src/early.js'

const counted = () => {
  const runs: Array<number> = []
  return {
    runs,
    task: () => {
      runs.push(runs.length)
      return Promise.resolve(runs.length)
    },
  }
}

describe('a task that may be begun early', () => {
  it('runs when it is taken, each time, if nobody began it', async () => {
    const { runs, task } = counted()
    const { take } = early(task)()
    expect(runs).toStrictEqual([])
    expect([await take(), await take()]).toStrictEqual([1, 2])
  })

  it('runs once when it is begun, however often; whoever takes it first gets that result, and nobody gets it again', async () => {
    const { runs, task } = counted()
    const { begin, take } = early(task)()
    begin()
    begin()
    expect(runs).toStrictEqual([0])
    expect([await take(), await take()]).toStrictEqual([1, 2])
  })

  it('may fail before it is taken: then whoever takes it hears of it', async () => {
    const { begin, take } = early(() => Promise.reject(new Error('no disk')))()
    begin()
    await new Promise((turned) => setImmediate(turned))
    await expect(take()).rejects.toThrow('no disk')
  })
})
