import { appendFileSync, chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeChanges, runs, staleAnswers } from '@canopy/test-support'
import * as E from 'fp-ts/lib/Either.js'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { listDirectory, stepLength } from '../../src/read/directory.js'
import { asNobody, at, dir, file, inArea, type TemporaryArea } from '../temporaryArea.js'

describe('a directory that is read for a snapshot', () => {
  let directory = ''
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'canopy-read-'))
    // The test moves the clock.
    vi.useFakeTimers({ toFake: ['performance'] })
  })
  afterEach(() => {
    vi.useRealTimers()
    rmSync(directory, { recursive: true })
  })

  const pass = (ms: number): void => void vi.advanceTimersByTime(ms)
  const makeOne = (name: number) => writeFileSync(join(directory, `${name}`), '')
  const append = () => appendFileSync(join(directory, '0'), 'line\n')

  /** Returns the number of steps of a snapshot. A small directory is read in one step. */
  const stepsWhile = async (change: (step: number) => void): Promise<number> => {
    let count = 0
    const pause = async () => {
      if (count > 0) change(count)
      count += 1
    }
    await listDirectory(directory, { isSnapshot: true, pause })
    return count
  }

  it.each<[string, number, (reading: number) => void, number]>([
    ['twice without a change', 4, () => undefined, 2],
    ['until two successive readings are equal', 4, (reading) => (reading < 4 ? makeOne(reading) : undefined), 5],
    ['at most sixteen times while names change, beyond 40 ms', 4, makeOne, 16],
    ['at most eight times while only contents change', 4, append, 8],
    [
      'once more for each name that changes',
      4,
      (reading) => {
        append()
        if (reading === 7) makeOne(reading)
      },
      9,
    ],
    ['at least twice, however slow', 250, append, 2],
    ['three times while names change, however slow', 250, makeOne, 3],
  ])('is read %s', async (_, ms, change, readings) => {
    append()
    const slowly = (reading: number): void => {
      pass(ms)
      change(reading)
    }
    expect(await stepsWhile(slowly)).toBe(readings)
  })

  it('does not end with two equal readings that both miss a name', async () => {
    for (let name = 100; name < 100 + stepLength; name += 1) makeOne(name)
    makeOne(999)
    // Each reading takes two steps: it has read all names before the last of them is gone.
    const steps = await stepsWhile((step) => {
      if (step > 4) return
      if (step % 2 === 1) rmSync(join(directory, '999'))
      else makeOne(999)
    })
    expect(steps).toBe(8)
  })
})

it('a directory that is being changed is of one moment when it is read as a snapshot', () =>
  inArea(beforeChanges, async ({ ports, area, directory }) => {
    const ask = async () => {
      const { entries } = right(await ports.listSnapshot(area, at('/'))())
      return Array.from(entries, (entry) => ({ ...entry, size: entry.type === 'file' ? entry.size : 0n }))
    }
    const { violations } = await staleAnswers(directory, { ask: [ask], answers: runs(2_000) })
    expect(violations).toEqual([])
  }))

const external = (code: string) => E.left({ error: 'external', cause: expect.objectContaining({ code }) })

const right = E.getOrElseW((failure) => {
  throw new Error(`the listing failed: ${JSON.stringify(failure)}`)
})

/** Runs as an unprivileged user while a directory has a mode. */
const withMode = async <A>({ root, directory }: TemporaryArea, name: string, mode: number, act: () => Promise<A>) => {
  chmodSync(root, 0o755)
  chmodSync(join(directory, name), mode)
  try {
    return await asNobody(act)
  } finally {
    chmodSync(join(directory, name), 0o755)
  }
}

it.each([3, 8 * stepLength + 1])(
  'a listing of %d files reports locked directories and entries, and undecodable names',
  (count) => {
    const many = Array.from({ length: count }, (_, i) => file(`${i}`))
    return inArea([dir('d', ...many)], async (made) => {
      const { ports, area, directory } = made
      const list = ports.list(area, at('/d'))
      const nodeAt = (path: string) => ports.nodeAt(area, at(path))
      expect(await withMode(made, 'd', 0o111, list)).toEqual(external('EACCES'))
      expect(await withMode(made, 'd', 0o111, nodeAt('/d/0'))).toMatchObject(E.right({ type: 'file' }))

      const names = many.map(({ name }) => name).sort()
      expect(await withMode(made, 'd', 0o444, list)).toMatchObject(
        E.right({ unlistable: 0, entries: { length: 0 }, unknown: { names, cause: { code: 'EACCES' } } }),
      )
      for (const path of ['/d/0', '/d/missing'])
        expect(await withMode(made, 'd', 0o444, nodeAt(path))).toEqual(external('EACCES'))

      symlinkSync('0', join(directory, 'd', 'link'))
      writeFileSync(Buffer.concat([Buffer.from(`${directory}/d/`), Buffer.from([0xff, 0x61])]), '')
      writeFileSync(join(directory, 'd', '\u00e9'), '')
      const { entries, unlistable } = right(await withMode(made, 'd', 0o755, list))
      expect([entries.length, entries.at(-1)?.name, unlistable]).toEqual([count + 1, '\u00e9', 1])
    })
  },
)
