import { type Entry, Name, StoragePath, U64 } from '@canopy/domain'
import { busyFor, countTicks } from '@canopy/test-support'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it } from 'vitest'
import { dependencies, dependOnChildren, type Reading, someDirectory } from '../src/dependencies.js'
import { areaAt, at } from './temporaryArea.js'

const area = areaAt('1')

const directory = (index: number): Entry.Entry => ({
  type: 'dir',
  name: O.getOrElseW((): never => expect.fail('no name'))(Name.fromString(`${index}`)),
  last_modified: U64.zero,
})

const readingOf = (directories: number, path = '/'): Reading => ({
  place: { area, root: '', path: at(path) },
  key: '',
  stale: false,
  listing: { entries: Array.from({ length: directories }, (_, index) => directory(index)), unlistable: 0 },
  watches: [],
})

/** Where each path is watched, unless that is refused. */
const watchingAll = (isWatched: (path: string) => boolean = () => true) => {
  const reported: Array<string> = []
  return {
    reported,
    watching: {
      depend: (_: Reading, path: string) => {
        reported.push(path)
        return isWatched(path)
      },
      isWatched: () => false,
    },
  }
}

const hasRoom = () => true

const storageWith = (node: Entry.Node = { type: 'dir', last_modified: U64.zero }) => ({
  nodeAt: () => TE.right(node),
  list: () => TE.right({ entries: [], unlistable: 0 }),
})

describe('a listing leans on the directories in it', () => {
  it.each([
    [1024, true, 1024],
    [1025, false, 0],
  ])('%s of them: %s, since each takes a watch', async (directories, leans, watched) => {
    const { reported, watching } = watchingAll()
    expect(await dependOnChildren(watching, storageWith(), readingOf(directories), hasRoom)).toBe(leans)
    expect(reported.length).toBe(watched)
  })

  it('and on nothing where there is no room for a watch on each that has none', async () => {
    const { reported, watching } = watchingAll()
    const asked: Array<number> = []
    const onlyTwo = (watches: number) => asked.push(watches) > 0 && watches <= 2
    const known = { ...watching, isWatched: ({ path }: { path: string }) => path === '/1' }
    expect(await dependOnChildren(watching, storageWith(), readingOf(3), onlyTwo)).toBe(false)
    expect(reported).toEqual([])
    expect(await dependOnChildren(known, storageWith(), readingOf(3), onlyTwo)).toBe(true)
    expect([asked, reported]).toEqual([
      [3, 2],
      ['/0', '/1', '/2'],
    ])
  })

  it('and on nothing where one of them cannot be watched', async () => {
    const { reported, watching } = watchingAll((path) => path !== '/1')
    expect(await dependOnChildren(watching, storageWith(), readingOf(3), hasRoom)).toBe(false)
    expect(reported).toEqual(['/0', '/1'])
  })

  it.each<readonly [string, Entry.Node]>([
    ['is of another time', { type: 'dir', last_modified: U64.clamp(1n) }],
    ['is a file of the same time', { type: 'file', size: U64.zero, last_modified: U64.zero }],
  ])('and on nothing where what stands there, once it is watched, %s', async (_, node) => {
    expect(await dependOnChildren(watchingAll().watching, storageWith(node), readingOf(3), hasRoom)).toBe(false)
  })

  it('and on nothing where one of them is not there any more, once it is watched', async () => {
    const storage = { ...storageWith(), nodeAt: () => TE.left({ error: 'file not found' } as const) }
    expect(await dependOnChildren(watchingAll().watching, storage, readingOf(1), hasRoom)).toBe(false)
  })

  it('no further once it has gone stale', async () => {
    const reading = readingOf(3)
    const { reported, watching } = watchingAll(() => {
      reading.stale = true
      return true
    })
    expect(await dependOnChildren(watching, storageWith(), reading, hasRoom)).toBe(false)
    expect(reported).toEqual(['/0'])
  })

  it('but for those that no path reaches, which nobody is reported of', async () => {
    const { reported, watching } = watchingAll()
    const deep = `/${'a'.repeat(250)}`.repeat(17).slice(0, 4095)
    const reading = readingOf(11, deep)
    expect(StoragePath.child(at(deep), directory(10).name)).toEqual(O.none)
    expect(await dependOnChildren(watching, storageWith(), reading, hasRoom)).toBe(true)
    expect(reported).toEqual(Array.from({ length: 10 }, (_, index) => `${deep}/${index}`))
  })
})

/** Watches by name, of which a test reports changes; and the readings that depend on them. */
const pathsOf = (isWatched: (directory: string) => boolean = () => true) => {
  const began: Array<string> = []
  const watched = new Map<string, (name: O.Option<string>) => void>()
  const begin = (directory: string, changed: (name: O.Option<string>) => void) => {
    began.push(directory)
    if (!isWatched(directory)) return O.none
    watched.set(directory, changed)
    const end = (): void => void watched.delete(directory)
    return O.of(end)
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
      root: () => O.some({ identity: '', node: { type: 'dir', last_modified: U64.zero } }),
      covers: () => true,
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
    change: (directory: string, name?: string) => watched.get(directory)?.(O.fromNullable(name)),
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
    const { watched, depend, release } = pathsOf()
    const [b, c] = [depend('/a/b'), depend('/a/c')]
    release(b.reading)
    expect([...watched.keys()]).toEqual(['/', '/srv', '/srv/1', '/srv/1/a', '/srv/1/a/c'])
    release(c.reading)
    expect(watched.size).toBe(0)
  })
})

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
    const rounds = countTicks()
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
