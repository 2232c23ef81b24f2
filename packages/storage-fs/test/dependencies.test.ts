import { type Entry, Name, StoragePath, U64 } from '@canopy/domain'
import { busyFor, countTicks } from '@canopy/test-support'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it } from 'vitest'
import { dependOnChildren, dependOnPath, type Reading, someDirectory } from '../src/dependencies.js'
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
  const told: Array<string> = []
  return {
    told,
    watching: {
      depend: (_: Reading, path: string, name?: string) => {
        told.push(name === undefined ? path : `${name} in ${path}`)
        return isWatched(path)
      },
      release: () => undefined,
    },
  }
}

const storageWith = (node: Entry.Node = { type: 'dir', last_modified: U64.zero }) => ({
  nodeAt: () => TE.right(node),
  list: () => TE.right({ entries: [], unlistable: 0 }),
})

describe('a listing leans on the directories in it', () => {
  it.each([
    [1024, true, 1024],
    [1025, false, 0],
  ])('%s of them: %s, since each takes a watch', async (directories, leans, watched) => {
    const { told, watching } = watchingAll()
    expect(await dependOnChildren(watching, storageWith(), readingOf(directories))).toBe(leans)
    expect(told.length).toBe(watched)
  })

  it('and on nothing where one of them cannot be watched', async () => {
    const { told, watching } = watchingAll((path) => path !== '/1')
    expect(await dependOnChildren(watching, storageWith(), readingOf(3))).toBe(false)
    expect(told).toEqual(['/0', '/1'])
  })

  it.each<readonly [string, Entry.Node]>([
    ['is of another time', { type: 'dir', last_modified: U64.clamp(1n) }],
    ['is a file of the same time', { type: 'file', size: U64.zero, last_modified: U64.zero }],
  ])('and on nothing where what stands there, once it is watched, %s', async (_, node) => {
    expect(await dependOnChildren(watchingAll().watching, storageWith(node), readingOf(3))).toBe(false)
  })

  it('and on nothing where one of them is not there any more, once it is watched', async () => {
    const storage = { ...storageWith(), nodeAt: () => TE.left({ error: 'file not found' } as const) }
    expect(await dependOnChildren(watchingAll().watching, storage, readingOf(1))).toBe(false)
  })

  it('no further once it has gone stale', async () => {
    const reading = readingOf(3)
    const { told, watching } = watchingAll(() => {
      reading.stale = true
      return true
    })
    expect(await dependOnChildren(watching, storageWith(), reading)).toBe(false)
    expect(told).toEqual(['/0'])
  })

  it('but for those that no path reaches, which nobody is told of', async () => {
    const { told, watching } = watchingAll()
    const deep = `/${'a'.repeat(250)}`.repeat(17).slice(0, 4095)
    const reading = readingOf(11, deep)
    expect(StoragePath.child(at(deep), directory(10).name)).toEqual(O.none)
    expect(await dependOnChildren(watching, storageWith(), reading)).toBe(true)
    expect(told).toEqual(Array.from({ length: 10 }, (_, index) => `${deep}/${index}`))
  })
})

describe('a listing leans on its path', () => {
  it('from the root of the area down, each step by its name, and at last on all that is in it', () => {
    const { told, watching } = watchingAll()
    expect(dependOnPath(watching, readingOf(0, '/a/b/c'))).toBe(true)
    expect(told).toEqual(['a in /', 'b in /a', 'c in /a/b', '/a/b/c'])
  })

  it.each(['/', '/a', '/a/b'])('and is not cached where %s cannot be watched', (path) => {
    const { watching } = watchingAll((watched) => watched !== path)
    expect(dependOnPath(watching, readingOf(0, '/a/b'))).toBe(false)
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
