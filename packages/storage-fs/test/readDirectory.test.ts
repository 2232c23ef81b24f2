import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { busyFor } from '@canopy/testkit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { opened, partLength, readOn } from '../src/readDirectory.mjs'

let directory = ''
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'canopy-read-'))
})
afterEach(() => rmSync(directory, { recursive: true }))

/** How often it is read until it is at rest. */
const readings = (meanwhile: (reading: number) => void): number => {
  const open = opened(directory, true)
  let count = 1
  while (!readOn(open)) {
    meanwhile(count)
    count += 1
  }
  return count
}

const makeOne = (name: number) => writeFileSync(join(directory, `${name}`), '')

describe('a directory that is read until it is at rest', () => {
  it('is read twice when nothing changes', () => {
    expect(readings(() => undefined)).toBe(2)
  })

  it('is read until two readings in succession tell the same', () => {
    expect(readings((reading) => (reading < 4 ? makeOne(reading) : undefined))).toBe(5)
  })

  it('is read eight times at most, where that takes longer than 20 ms', () => {
    const slowly = (name: number) => {
      busyFor(4)
      makeOne(name)
    }
    expect(readings(slowly)).toBeGreaterThanOrEqual(8)
  })

  it('is read eight times at most, where only what is in its files changes, and once more for each name that does', () => {
    const writing = (renamedAt: number) => (reading: number) => {
      busyFor(4)
      appendFileSync(join(directory, 'log'), 'line\n')
      if (reading === renamedAt) makeOne(reading)
    }
    makeOne(0)
    expect(readings(writing(0))).toBe(8)
    expect(readings(writing(7))).toBe(9)
  })

  it('is read more often where that is short, and then for no longer', () => {
    const began = performance.now()
    expect(readings(makeOne)).toBeGreaterThan(8)
    expect(performance.now() - began).toBeGreaterThan(20)
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
      busyFor(250)
      change(reading)
    }
    makeOne(0)
    expect(readings(slowly(() => appendFileSync(join(directory, '0'), 'line\n')))).toBe(2)
    expect(readings(slowly(makeOne))).toBe(3)
  })
})
