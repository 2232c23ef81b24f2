import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { partLength, readingOf, scheduling } from '../src/readDirectory.mjs'

let directory = ''
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'canopy-read-'))
  // Time passes when a test says so.
  vi.useFakeTimers({ toFake: ['performance'] })
})
afterEach(() => {
  vi.useRealTimers()
  rmSync(directory, { recursive: true })
})

const pass = (ms: number): void => void vi.advanceTimersByTime(ms)

/** How often it is read for a snapshot. */
const readings = (meanwhile: (reading: number) => void): number => {
  const reading = readingOf({ directory }, true)
  let count = 1
  while (reading.next().value?.isLast === false) {
    meanwhile(count)
    count += 1
  }
  return count
}

const makeOne = (name: number) => writeFileSync(join(directory, `${name}`), '')

describe('a directory that is read for a snapshot', () => {
  it('is read twice when nothing changes', () => {
    expect(readings(() => undefined)).toBe(2)
  })

  it('is read until two readings in succession tell the same', () => {
    expect(readings((reading) => (reading < 4 ? makeOne(reading) : undefined))).toBe(5)
  })

  it('is read sixteen times at most, where names in it change and that takes longer than 40 ms', () => {
    const slowly = (name: number) => {
      pass(4)
      makeOne(name)
    }
    expect(readings(slowly)).toBe(16)
  })

  it('is read eight times at most, where only what is in its files changes, and once more for each name that does', () => {
    const writing = (renamedAt: number) => (reading: number) => {
      pass(4)
      appendFileSync(join(directory, 'log'), 'line\n')
      if (reading === renamedAt) makeOne(reading)
    }
    makeOne(0)
    expect(readings(writing(0))).toBe(8)
    expect(readings(writing(7))).toBe(9)
  })

  it.each([
    ['for 20 ms, where only what is in its files changes', () => appendFileSync(join(directory, 'log'), 'line\n'), 22],
    ['for 40 ms, where names in it change', makeOne, 42],
  ])('is read more often where that is short: %s', (_, change, times) => {
    const quickly = (reading: number) => {
      pass(1)
      change(reading)
    }
    expect(readings(quickly)).toBe(times)
  })

  it('is not told by two readings that are alike and both miss a name', () => {
    for (let name = 100; name < 100 + partLength; name += 1) makeOne(name)
    makeOne(999)
    // Each reading takes two steps: it has read all names before the last of them is gone.
    const steps = readings((step) => {
      if (step > 4) return
      if (step % 2 === 1) rmSync(join(directory, '999'))
      else makeOne(999)
    })
    expect(steps).toBe(8)
  })

  it('is read twice at least, and not again when that took long, unless a name in it is another', () => {
    const slowly = (change: (reading: number) => void) => (reading: number) => {
      pass(250)
      change(reading)
    }
    makeOne(0)
    expect(readings(slowly(() => appendFileSync(join(directory, '0'), 'line\n')))).toBe(2)
    expect(readings(slowly(makeOne))).toBe(3)
  })
})

interface Work {
  readonly name: string
  /** Of its pieces. */
  pieces: number
  /** The same, once it has begun. */
  left: number | undefined
}

const workOf = (name: string, pieces: number): Work => ({ name, pieces, left: undefined })

/** Which jobs went on; each takes as long as it takes. */
const turnsOf = (works: Array<Work>, msOf: (work: Work) => number = () => 1) => {
  const clock = { now: 0 }
  const goOn = (work: Work): boolean => {
    clock.now += msOf(work)
    work.pieces -= 1
    work.left = work.pieces
    return work.pieces === 0
  }
  const takeTurn = scheduling(goOn, 8, () => clock.now)
  const over: Array<string> = []
  const turn = (): void => {
    const before = [...works]
    if (takeTurn(works)) over.push(...before.filter((work) => !works.includes(work)).map(({ name }) => name))
  }
  return { clock, over, turn }
}

describe('several directories that are read at once', () => {
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
