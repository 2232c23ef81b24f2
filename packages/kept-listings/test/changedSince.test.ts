import { type Entry, Name, U64 } from '@canopy/domain'
import * as O from 'fp-ts/lib/Option.js'
import { describe, expect, it } from 'vitest'
import { changedSince } from '../src/changedSince.js'

const name = O.getOrElseW((): never => expect.fail('no name'))(Name.fromString('a'))

const listed = (...entries: ReadonlyArray<Entry.Entry>) => ({ entries, unlistable: 0 })

describe('a directory in a listing changed since the reading began', () => {
  const began = 100_999

  it.each([
    [101n, true],
    [100n, true],
    [98n, true],
    [97n, false],
  ])('when its time is %s: some file systems tell only every other second', async (seconds, changed) => {
    const directory = { type: 'dir', name, last_modified: U64.clamp(seconds) } as const
    expect(await changedSince(listed(directory), began)).toBe(changed)
  })

  it('but not for the time of a file, of which a notice tells', async () => {
    const file = { type: 'file', name, size: U64.zero, last_modified: U64.clamp(101n) } as const
    expect(await changedSince(listed(file), began)).toBe(false)
  })
})
