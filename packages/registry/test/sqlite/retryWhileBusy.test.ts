import { describe, expect, it } from 'vitest'
import { retryWhileBusy } from '../../src/sqlite/retryWhileBusy.js'

const busy = Object.assign(new Error('database is locked'), { errcode: 5 })
const busySnapshot = Object.assign(new Error('database is locked'), { errcode: 517 })
const full = Object.assign(new Error('database or disk is full'), { errcode: 13 })

/** Fails with these errors, one after the other, and then answers how often it ran. */
const failing = (...causes: ReadonlyArray<Error>) => {
  const tries = { made: 0 }
  return async () => {
    const cause = causes[tries.made]
    tries.made += 1
    if (cause !== undefined) throw cause
    return tries.made
  }
}

describe('retryWhileBusy', () => {
  it('answers at once what is not busy', async () => {
    expect(await retryWhileBusy(failing())).toBe(1)
  })
  it('tries again while another process holds the lock', async () => {
    expect(await retryWhileBusy(failing(busy, busySnapshot, busy))).toBe(4)
  })
  it('tries again what did not even give a promise', async () => {
    const run = failing(busy)
    const tries = { made: 0 }
    const throwing = () => {
      tries.made += 1
      if (tries.made === 1) throw busy
      return run()
    }
    expect(await retryWhileBusy(throwing)).toBe(2)
  })
  it('gives any other failure on', async () => {
    await expect(retryWhileBusy(failing(busy, full))).rejects.toBe(full)
  })
  it('gives up when its time is over', async () => {
    await expect(retryWhileBusy(failing(busy), performance.now())).rejects.toBe(busy)
  })
})
