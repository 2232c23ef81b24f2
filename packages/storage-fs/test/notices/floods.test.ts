import { setImmediate as round } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { countingFloods } from '../../src/notices/floods.js'

describe('a flood', () => {
  it('is as many notices in one round of the event loop as may have filled the queue, and is told once', () => {
    let floods = 0
    const count = countingFloods(() => {
      floods += 1
    }, 4.5)
    const seen = [1, 2, 3, 4, 5, 6].map(() => {
      count()
      return floods
    })
    expect(seen).toEqual([0, 0, 0, 1, 1, 1])
  })

  it('is each notice where the queue holds next to none', () => {
    let floods = 0
    countingFloods(() => {
      floods += 1
    }, 0.5)()
    expect(floods).toBe(1)
  })

  it('is none when the same number comes in several rounds', async () => {
    let floods = 0
    const count = countingFloods(() => {
      floods += 1
    }, 4)
    for (const _ of [1, 2, 3]) {
      for (const _one of [1, 2, 3]) count()
      await round()
    }
    expect(floods).toBe(0)
  })
})
