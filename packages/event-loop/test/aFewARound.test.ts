import { countRounds } from '@canopy/testkit'
import { describe, expect, it } from 'vitest'
import { aFewARound } from '../src/aFewARound.js'

const nextCheck = () => new Promise((resolve) => setImmediate(resolve))

describe('pieces of work of which a few are done in a round', () => {
  it('are begun in the next check phase, in the order in which they came, no more than so many in a round', async () => {
    const done: Array<string> = []
    const later = aFewARound(2)
    for (const name of ['a', 'b', 'c', 'd', 'e']) later(() => done.push(name))
    expect(done).toEqual([])
    for (const so of ['ab', 'abcd', 'abcde', 'abcde']) {
      await nextCheck()
      expect(done.join('')).toBe(so)
    }
  })

  it('come again when all were done, and out of one another', async () => {
    const rounds = countRounds()
    const later = aFewARound(1)
    const doneAt: Array<number> = []
    const twice = () => {
      doneAt.push(rounds.count())
      if (doneAt.length < 2) later(twice)
    }
    later(twice)
    while (doneAt.length < 2) await nextCheck()
    later(twice)
    while (doneAt.length < 3) await nextCheck()
    rounds.stop()
    expect(new Set(doneAt).size).toBe(3)
  })
})
