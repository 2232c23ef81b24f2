import { describe, expect, it } from 'vitest'
import { onceAMoment } from '../../src/sqlite/onceAMoment.js'

const counting = () => {
  let asked = 0
  return onceAMoment(() => {
    asked += 1
    return asked
  })
}

describe('a question asked once a moment', () => {
  it('is asked once for all who ask before anything else can happen', async () => {
    const ask = counting()
    const together = [Promise.resolve().then(ask), Promise.resolve().then(ask)]
    expect([ask(), ask(), ...(await Promise.all(together))]).toEqual([1, 1, 1, 1])
  })

  it('is asked anew for whoever asks once something was awaited', async () => {
    const ask = counting()
    expect(ask()).toBe(1)
    await Promise.resolve()
    expect(ask()).toBe(2)
  })

  it('is asked again after it could not be answered', () => {
    let works = false
    const ask = onceAMoment(() => {
      if (!works) throw new Error('busy')
      return 'answer'
    })
    expect(ask).toThrow('busy')
    works = true
    expect(ask()).toBe('answer')
  })
})
