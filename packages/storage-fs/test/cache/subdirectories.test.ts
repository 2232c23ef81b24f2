import { type Entry, Failure, Name, U64 } from '@canopy/domain'
import { busyFor, countTicks } from '@canopy/test-support'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it } from 'vitest'
import { dependOnSubdirectories, mayHaveChangedSince, subdirectoriesIn } from '../../src/cache/subdirectories.js'
import type { Dependent } from '../../src/cache/Watches.js'
import { areaAt, at } from '../temporaryArea.js'

const entry = (type: 'file' | 'dir', index: number, last_modified = U64.zero): Entry.Entry => ({
  ...(type === 'dir' ? { type } : { type, size: U64.zero }),
  name: O.getOrElseW((): never => expect.fail('no name'))(Name.fromString(`${index}`)),
  last_modified,
})

const listingAt = (path = '/'): Dependent => ({
  place: { area: areaAt('1'), root: '', path: at(path) },
  key: '',
  isStale: false,
})

const directories = (count: number) => Array.from({ length: count }, (_, index) => entry('dir', index))

describe('a listing depends on its subdirectories', () => {
  const deep = `/${'a'.repeat(250)}`.repeat(17).slice(0, 4095)
  const same: Entry.Node = { type: 'dir', last_modified: U64.zero }
  const touched: Entry.Node = { type: 'dir', last_modified: U64.clamp(1n) }
  const aFile: Entry.Node = { ...same, type: 'file', size: U64.zero }

  interface World {
    readonly path: string
    /** Fewer new watches do not fit. */
    readonly maxWatches: number
    readonly watchedPath: string
    readonly unwatchablePath: string
    /** The node that each look-up finds after the watch. */
    readonly found: Entry.Node | 'gone'
  }
  const usual: World = { path: '/', maxWatches: 2_000, watchedPath: '', unwatchablePath: '', found: same }
  const ten = Array.from({ length: 10 }, (_, index) => `${deep}/${index}`)

  it.each<[string, number, Partial<World>, boolean, ReadonlyArray<string> | number]>([
    ['on 1,024 of them', 1024, {}, true, 1024],
    ['on no more, since each takes a watch', 1025, {}, false, 0],
    ['only if a watch on each fits', 3, { maxWatches: 2 }, false, 0],
    ['and charges no watch twice', 3, { maxWatches: 2, watchedPath: '/1' }, true, 3],
    ['only if each can be watched', 3, { unwatchablePath: '/1' }, false, ['/0', '/1']],
    ['only if each still exists after the watch', 3, { found: 'gone' }, false, 1],
    ['only if each has the same time after the watch', 3, { found: touched }, false, 1],
    ['only if each is a directory after the watch', 3, { found: aFile }, false, 1],
    ['except for those whose path is too long', 11, { path: deep }, true, ten],
  ])('%s', async (_, count, world, dependsOnAll, expected) => {
    const { path, maxWatches, watchedPath, unwatchablePath, found } = { ...usual, ...world }
    const watched: Array<string> = []
    const dependencies = {
      watches: {
        depend: (_: Dependent, path: string): boolean => watched.push(path) > 0 && path !== unwatchablePath,
        isWatched: ({ path }: { path: string }) => path === watchedPath,
      },
      storage: { nodeAt: () => (found === 'gone' ? TE.left(Failure.fileNotFound) : TE.right(found)) },
      makeRoom: (watchCount: number): boolean => watchCount <= maxWatches,
    }
    expect(await dependOnSubdirectories(dependencies, listingAt(path), directories(count))).toBe(dependsOnAll)
    expect(typeof expected === 'number' ? watched.length : watched).toEqual(expected)
  })

  it('and yields to other work between its watches', async () => {
    const ticks = countTicks()
    const watchedIn = new Set<number>()
    const depend = (): boolean => {
      watchedIn.add(ticks.count())
      busyFor(2)
      return true
    }
    const watches = { depend, isWatched: () => false }
    const dependencies = { watches, storage: { nodeAt: () => TE.right(same) }, makeRoom: () => true }
    expect(await dependOnSubdirectories(dependencies, listingAt(), directories(5))).toBe(true)
    ticks.stop()
    expect(watchedIn.size).toBe(5)
  })

  it('and finds them in short steps', async () => {
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
    const found = await subdirectoriesIn({ length: 5000, at: () => undefined, [Symbol.iterator]: slowly })
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
])('a directory of time %s may have changed since 100.999 s: %s', (seconds, changed) => {
  expect(mayHaveChangedSince([entry('dir', 0, U64.clamp(seconds))], 100_999)).toBe(changed)
})
