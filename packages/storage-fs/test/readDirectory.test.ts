import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { partLength, readingOf } from '../src/readDirectory.js'

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
  const reading = readingOf(directory, true)
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
