import { describe, expect, it } from 'vitest'
import { takingTurns } from '../src/takingTurns.mjs'

interface Work {
  readonly name: string
  /** Of its pieces. */
  left: number
  isKnown: boolean
}

const workOf = (name: string, left: number): Work => ({ name, left, isKnown: false })

/** Whose turns there were; each takes as long as it takes. */
const turnsOf = (works: Array<Work>, msOf: (work: Work) => number = () => 1) => {
  const clock = { now: 0 }
  const takeTurn = takingTurns<Work>({
    goOn: (work) => {
      clock.now += msOf(work)
      work.left -= 1
      work.isKnown = true
      return work.left === 0
    },
    left: ({ isKnown, left }) => (isKnown ? left : undefined),
    few: 8,
    now: () => clock.now,
  })
  const over: Array<string> = []
  const turn = (): void => {
    const before = [...works]
    if (takeTurn(works)) over.push(...before.filter((work) => !works.includes(work)).map(({ name }) => name))
  }
  return { clock, over, turn }
}

describe('works that take turns', () => {
  it('end one after the other, the small ones before the large ones', () => {
    const works = [workOf('a', 100), workOf('b', 100), workOf('small', 3)]
    const { clock, over, turn } = turnsOf(works)
    while (over.length < 1) turn()
    expect([over, clock.now < 12]).toEqual([['small'], true])
    while (over.length < 2) turn()
    expect([over, clock.now < 110]).toEqual([['small', 'a'], true])
    while (works.length > 0) turn()
    expect([over, clock.now]).toEqual([['small', 'a', 'b'], 203])
  })

  it('leave half of the time to the first one, however many small ones come', () => {
    const first = workOf('first', 100)
    const works = [first]
    const { clock, over, turn } = turnsOf(works)
    while (!over.includes('first')) {
      works.push(workOf('small', 1))
      turn()
    }
    expect(clock.now).toBeLessThanOrEqual(201)
  })

  it('leave it the same time where a turn of others takes longer', () => {
    const works = [workOf('first', 100)]
    const { clock, over, turn } = turnsOf(works, ({ name }) => (name === 'first' ? 1 : 50))
    while (!over.includes('first')) {
      works.push(workOf('slow to begin', 100))
      turn()
    }
    expect(clock.now).toBeLessThanOrEqual(250)
  })

  it('let none of them wait for a large one that began before, nor for many that have still to begin', () => {
    const works = Array.from({ length: 100 }, (_, index) => workOf(`large ${index}`, 1000))
    const { clock, over, turn } = turnsOf(works)
    for (let ms = 0; ms < 10; ms += 1) turn()
    works.push(workOf('small', 4))
    while (!over.includes('small')) turn()
    expect(clock.now).toBeLessThanOrEqual(10 + 2 * (4 + 1))
  })
})
