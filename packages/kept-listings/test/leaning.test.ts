import { Area, type Entry, Name, StoragePath, U64, type UserId } from '@canopy/domain'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it } from 'vitest'
import { leanOnChildren } from '../src/leaning.js'
import type { Reading } from '../src/Reading.js'

const area: Area.Area = { owner: U64.clamp(1n) as UserId.UserId, location: Area.location('1') }

const directory = (index: number): Entry.Entry => ({
  type: 'dir',
  name: O.getOrElseW((): never => expect.fail('no name'))(Name.fromString(`${index}`)),
  last_modified: U64.zero,
})

const readingOf = (directories: number): Reading => ({
  place: { area, root: '', path: StoragePath.root },
  key: '',
  stale: false,
  listing: { entries: Array.from({ length: directories }, (_, index) => directory(index)), unlistable: 0 },
  watches: [],
})

describe('a listing leans on the directories in it', () => {
  it.each([
    [1024, true, 1024],
    [1025, false, 0],
  ])('%s of them: %s, since each takes a watch', async (directories, leans, watched) => {
    const told: Array<string> = []
    const watching = { lean: (_: Reading, path: string) => told.push(path) > 0, release: () => undefined }
    const storage = {
      nodeAt: () => TE.right({ type: 'dir', last_modified: U64.zero } as const),
      list: () => TE.right({ entries: [], unlistable: 0 }),
    }
    expect(await leanOnChildren(watching, storage, readingOf(directories))).toBe(leans)
    expect(told.length).toBe(watched)
  })
})
