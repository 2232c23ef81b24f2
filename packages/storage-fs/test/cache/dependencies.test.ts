import { type Entry, Name, U64 } from '@canopy/domain'
import { busyFor, countTicks } from '@canopy/test-support'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it } from 'vitest'
import {
  changedSince,
  dependencies,
  dependOnChildren,
  directoriesIn,
  type Reading,
} from '../../src/cache/dependencies.js'
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

/** Watches by name, of which a test reports changes; and the readings that depend on them. */
const pathsOf = (isWatched: (directory: string) => boolean = () => true) => {
  const began: Array<string> = []
  const watched = new Map<string, (name: string | undefined) => void>()
  const begin = (directory: string, changed: (name: string | undefined) => void) => {
    began.push(directory)
    if (!isWatched(directory)) return undefined
    watched.set(directory, changed)
    const end = (): void => void watched.delete(directory)
    return end
  }
  const stale: Array<string> = []
  const { depend, release, count } = dependencies(
    {
      above: ({ location }) => [
        { directory: '/', name: 'srv' },
        { directory: '/srv', name: location.slice(0, 1) },
      ],
      watchAbove: (directory, changed) => begin(directory, changed),
      watch: ({ location }, path, changed) => begin(`/srv/${location}${path === '/' ? '' : path}`, changed),
      root: () => ({ identity: '', node: { type: 'dir', last_modified: U64.zero } }),
    },
    (reading) => {
      stale.push(reading.key)
      release(reading)
    },
  )
  const read = (path: string, location = '1'): Reading => {
    const reading = { ...readingOf(0, path), key: path }
    return { ...reading, place: { ...reading.place, area: areaAt(location) } }
  }
  return {
    began,
    watched,
    stale,
    depend: (path: string, location?: string) => {
      const reading = read(path, location)
      return { reading, isWatched: depend(reading, at(path)) }
    },
    release,
    count,
    change: (directory: string, name?: string) => watched.get(directory)?.(name),
  }
}

describe('a listing depends on its path', () => {
  it('from / down, each directory watched before what is in it, and once for all', () => {
    const { began, depend, count } = pathsOf()
    expect(depend('/a/b').isWatched).toBe(true)
    expect(began).toEqual(['/', '/srv', '/srv/1', '/srv/1/a', '/srv/1/a/b'])
    depend('/a/c')
    depend('/', '2')
    expect(began.slice(5)).toEqual(['/srv/1/a/c', '/srv/2'])
    expect(count()).toBe(7)
  })

  it.each(['/', '/srv', '/srv/1', '/srv/1/a', '/srv/1/a/b'])(
    'and is not cached where %s cannot be watched, nor is anything watched for it then',
    (unwatched) => {
      const { watched, depend, count } = pathsOf((directory) => directory !== unwatched)
      expect(depend('/a/b').isWatched).toBe(false)
      expect([watched.size, count()]).toEqual([0, 0])
    },
  )

  it.each<[string, string | undefined, ReadonlyArray<string>]>([
    ['/srv/1/a/b', 'x', ['/a/b']],
    ['/srv/1/a/b', undefined, ['/a/b']],
    ['/srv/1/a', 'b', ['/a', '/a/b']],
    ['/srv/1/a', 'x', ['/a']],
    ['/srv/1/a', undefined, ['/a', '/a/b', '/a/c']],
    ['/srv/1', 'a', ['/a', '/a/b', '/a/c']],
    ['/srv/1', 'x', []],
    ['/srv', '1', ['/a', '/a/b', '/a/c']],
    ['/srv', '2', ['/z']],
    ['/srv', 'x', []],
    ['/', 'srv', ['/a', '/a/b', '/a/c', '/z']],
    ['/', 'tmp', []],
    ['/', undefined, ['/a', '/a/b', '/a/c', '/z']],
  ])('a change in %s of %s', (directory, name, invalidated) => {
    const { depend, change, stale } = pathsOf()
    for (const path of ['/a', '/a/b', '/a/c']) depend(path)
    depend('/z', '2')
    change(directory, name)
    expect(stale.sort()).toEqual(invalidated)
  })

  it('also where two areas are the same directory, by a link say', () => {
    const { depend, change, release, stale, watched } = pathsOf()
    const { reading } = depend('/a', '1')
    depend('/b', '1 by a link')
    depend('/c', '1 by a link')
    release(reading)
    change('/srv', '1')
    expect(stale.sort()).toEqual(['/b', '/c'])
    expect(watched.size).toBe(0)
  })

  it('and nothing is watched any more when nothing depends on it', () => {
    const { watched, depend, release, count } = pathsOf()
    const [b, c] = [depend('/a/b'), depend('/a/c')]
    release(b.reading)
    expect([...watched.keys()]).toEqual(['/', '/srv', '/srv/1', '/srv/1/a', '/srv/1/a/c'])
    expect(count()).toBe(5)
    release(c.reading)
    expect([watched.size, count()]).toEqual([0, 0])
  })
})
