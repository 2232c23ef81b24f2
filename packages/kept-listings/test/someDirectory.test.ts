import { type Entry, Name, U64 } from '@canopy/domain'
import { busyFor, countRounds } from '@canopy/testkit'
import * as O from 'fp-ts/lib/Option.js'
import { describe, expect, it } from 'vitest'
import { someDirectory } from '../src/someDirectory.js'

const count = 5000

/** Very many files, and directories among them at these places. */
const entriesWith = (...places: ReadonlyArray<number>): ReadonlyArray<Entry.Entry> =>
  Array.from({ length: count }, (_, index): Entry.Entry => {
    const name = O.getOrElseW((): never => expect.fail('no name'))(Name.fromString(`${index}`))
    const last_modified = U64.zero
    return places.includes(index)
      ? { type: 'dir', name, last_modified }
      : { type: 'file', name, size: U64.zero, last_modified }
  })

describe('the directories among many entries', () => {
  const places = [0, 1, 511, 512, 1023, 1024, 2046, 2047, 2048, 2049, 4094, 4095, 4096, 4097, count - 1]
  const entries = entriesWith(...places)

  it('are looked at in order, to the last one, each once', async () => {
    const seen: Array<string> = []
    expect(await someDirectory(entries, ({ name }) => seen.push(name) < 0)).toBe(false)
    expect(seen).toEqual(places.map(String))
  })

  it('are looked at until one is found', async () => {
    const seen: Array<string> = []
    expect(await someDirectory(entries, ({ name }) => seen.push(name) > 0 && name === '2048')).toBe(true)
    expect(seen.at(-1)).toBe('2048')
  })

  it('let other work in meanwhile', async () => {
    const rounds = countRounds()
    const seenIn: Array<number> = []
    await someDirectory(entriesWith(0, 2500, 4500), () => {
      seenIn.push(rounds.count())
      busyFor(5)
      return false
    })
    rounds.stop()
    expect(seenIn).toHaveLength(3)
    expect(new Set(seenIn).size).toBe(3)
  })
})
