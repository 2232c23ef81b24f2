import { type Entry, Name, U64 } from '@canopy/domain'
import { busyFor, countTicks } from '@canopy/test-support'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it } from 'vitest'
import { changedSince, dependOnChildren, directoriesIn } from '../../src/cache/children.js'
import type { Reading } from '../../src/cache/Reading.js'
import { areaAt, at } from '../temporaryArea.js'

const entry = (type: 'file' | 'dir', index: number, last_modified = U64.zero): Entry.Entry => ({
  ...(type === 'dir' ? { type } : { type, size: U64.zero }),
  name: O.getOrElseW((): never => expect.fail('no name'))(Name.fromString(`${index}`)),
  last_modified,
})

const readingOf = (directories: number, path = '/'): Reading => ({
  place: { area: areaAt('1'), root: '', path: at(path) },
  key: '',
  stale: false,
  directories: Array.from({ length: directories }, (_, index) => entry('dir', index)),
  watches: [],
})

describe('a listing depends on the directories in it', () => {
  const deep = `/${'a'.repeat(250)}`.repeat(17).slice(0, 4095)
  const same: Entry.Node = { type: 'dir', last_modified: U64.zero }
  const touched: Entry.Node = { type: 'dir', last_modified: U64.clamp(1n) }
  const aFile: Entry.Node = { ...same, type: 'file', size: U64.zero }

  interface World {
    /** For new watches. */
    readonly room: number
    /** The path that is watched already, and the one that cannot be. */
    readonly known: string
    readonly unwatchable: string
    /** What each is once it is watched. */
    readonly found: Entry.Node | 'gone'
  }
  const usual: World = { room: 2_000, known: '', unwatchable: '', found: same }
  const ten = Array.from({ length: 10 }, (_, index) => `${deep}/${index}`)

  it.each<[string, Reading, Partial<World>, boolean, ReadonlyArray<string> | number]>([
    ['on 1,024 of them', readingOf(1024), {}, true, 1024],
    ['on no more, since each takes a watch', readingOf(1025), {}, false, 0],
    ['on none where there is no room for a watch on each', readingOf(3), { room: 2 }, false, 0],
    ['on those that are watched already, which take no room', readingOf(3), { room: 2, known: '/1' }, true, 3],
    ['on all or none: one cannot be watched', readingOf(3), { unwatchable: '/1' }, false, ['/0', '/1']],
    ['not where one is gone, once it is watched', readingOf(3), { found: 'gone' }, false, 1],
    ['not where one is of another time, once it is watched', readingOf(3), { found: touched }, false, 1],
    ['not where one is a file of the same time, once it is watched', readingOf(3), { found: aFile }, false, 1],
    ['but for those that no path reaches, of which no client learns', readingOf(11, deep), {}, true, ten],
  ])('%s', async (_, reading, world, dependsOnAll, expected) => {
    const { room, known, unwatchable, found } = { ...usual, ...world }
    const watched: Array<string> = []
    const depend = (_: Reading, path: string): boolean => watched.push(path) > 0 && path !== unwatchable
    const watches = { depend, isWatched: ({ path }: { path: string }) => path === known }
    const nodeAt = () => (found === 'gone' ? TE.left({ error: 'file not found' } as const) : TE.right(found))
    const hasRoom = (newWatches: number): boolean => newWatches <= room
    expect(await dependOnChildren(watches, { nodeAt }, reading, hasRoom)).toBe(dependsOnAll)
    expect(typeof expected === 'number' ? watched.length : watched).toEqual(expected)
  })

  it('no further once it is stale', async () => {
    const reading = readingOf(3)
    const depend = (): boolean => {
      reading.stale = true
      return true
    }
    const watches = { depend, isWatched: () => false }
    expect(await dependOnChildren(watches, { nodeAt: () => TE.right(same) }, reading, () => true)).toBe(false)
  })

  it('which are found while other work goes on', async () => {
    const places = [0, 1, 2046, 2047, 2048, 2049, 4095, 4096, 4999]
    const entries = Array.from({ length: 5000 }, (_, index) => entry(places.includes(index) ? 'dir' : 'file', index))
    const ticks = countTicks()
    const seenIn = new Set<number>()
    function* slowly(): Generator<Entry.Entry, undefined> {
      for (const [index, each] of entries.entries()) {
        if (index % 2048 === 0) busyFor(5)
        seenIn.add(ticks.count())
        yield each
      }
      return undefined
    }
    const found = await directoriesIn({ length: 5000, at: () => undefined, [Symbol.iterator]: slowly })
    ticks.stop()
    expect(found.map(({ name }) => name)).toEqual(places.map(String))
    expect(seenIn.size).toBeGreaterThanOrEqual(3)
  })
})

it.each([
  [101n, true],
  [100n, true],
  [98n, true],
  [97n, false],
])(
  'a directory of time %s in a listing changed since 100.999 s: %s, as some file systems count only every other second',
  (seconds, changed) => {
    expect(changedSince([entry('dir', 0, U64.clamp(seconds))], 100_999)).toBe(changed)
  },
)
