import { appendFile, chmod, link, mkdir, rename, rm, symlink, truncate, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Entry, type Listing, Name, StoragePath, U64 } from '@canopy/domain'
import { busyFor, countTicks } from '@canopy/test-support'
import { storageLaws, type WorldNode } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import { describe, expect, it } from 'vitest'
import { bytesOf, changedSince } from '../src/cachedListings.js'
import { type ChangeEvents, changeEvents } from '../src/changeEvents.js'
import type { Reading } from '../src/dependencies.js'
import type { StorageRoot } from '../src/StorageRoot.js'
import { aroundWatches, type CachedArea, cachedAreas, emptyDirectory, nodes, shown, warm } from './cachedArea.js'
import { areaAt, at } from './temporaryArea.js'

describe('cached listings', () => {
  const cached = cachedAreas()

  it.each(storageLaws)('keep the law: $name', async ({ violations }) => {
    expect(await violations(async (mine, otherNodes) => cached(mine, { otherNodes }))).toEqual([])
  })

  it('are read once, and shared by everyone who asks', async () => {
    const area = await cached(nodes)
    await warm(area, '/a')
    const before = area.reads()
    const listed = await Promise.all(Array.from({ length: 100 }, () => area.ports.list(area.area, at('/a'))()))
    expect(area.reads()).toBe(before)
    expect(new Set(listed.map((each) => E.isRight(each) && each.right)).size).toBe(1)
  })

  it('are read each time while there is something that cannot be looked at', async () => {
    let unknown: Listing.Unknown | undefined = { names: [], cause: 'EIO' }
    const area = await cached(nodes, { told: (listing) => ({ ...listing, unknown }) })
    for (const reads of [1, 2]) {
      await shown(area, '/a')
      await sleep(50)
      expect(area.reads()).toBe(reads)
    }
    unknown = undefined
    await warm(area, '/a')
  })

  it('are read once for all who ask while they are being read', async () => {
    const area = await cached(nodes)
    await Promise.all(Array.from({ length: 100 }, () => area.ports.list(area.area, at('/a'))()))
    expect(area.reads()).toBe(1)
  })

  const changes: ReadonlyArray<readonly [string, string, (directory: string) => Promise<unknown>]> = [
    ['a file is made', '/a', (directory) => writeFile(join(directory, 'a/new'), 'x')],
    ['a file is removed', '/a', (directory) => rm(join(directory, 'a/beside'))],
    ['a file is renamed', '/a', (directory) => rename(join(directory, 'a/beside'), join(directory, 'a/renamed'))],
    ['a file is moved away', '/a', (directory) => rename(join(directory, 'a/beside'), join(directory, 'moved'))],
    ['a file is written', '/a', (directory) => writeFile(join(directory, 'a/beside'), 'longer than before')],
    ['a file is cut', '/a', (directory) => truncate(join(directory, 'a/beside'), 1)],
    ['a file is touched', '/a', (directory) => utimes(join(directory, 'a/beside'), 99, 99)],
    [
      'a file is replaced by a link',
      '/a',
      async (directory) => {
        await rm(join(directory, 'a/beside'))
        await symlink('b', join(directory, 'a/beside'))
      },
    ],
    ['a directory is made', '/a', (directory) => mkdir(join(directory, 'a/new'))],
    ['a directory is touched', '/a', (directory) => utimes(join(directory, 'a/b'), 99, 99)],
    [
      'something is made in a directory of it, whose time moves',
      '/a',
      (directory) => writeFile(join(directory, 'a/b/new'), 'x'),
    ],
    ['the directory itself is removed', '/a/b', (directory) => rm(join(directory, 'a/b'), { recursive: true })],
    ['the directory itself is renamed', '/a/b', (directory) => rename(join(directory, 'a/b'), join(directory, 'a/c'))],
    ['a directory above it is renamed', '/a/b', (directory) => rename(join(directory, 'a'), join(directory, 'c'))],
    [
      'a directory above it is replaced',
      '/a/b',
      async (directory) => {
        await rename(join(directory, 'a'), join(directory, 'old'))
        await mkdir(join(directory, 'a/b'), { recursive: true })
      },
    ],
    [
      'a directory above it becomes a link',
      '/a/b',
      async (directory) => {
        await rename(join(directory, 'a'), join(directory, 'old'))
        await symlink('old', join(directory, 'a'))
      },
    ],
    ['the root of the area is removed', '/a', (directory) => rename(directory, `${directory}-gone`)],
    [
      'the root of the area is replaced',
      '/a',
      async (directory) => {
        await rename(directory, `${directory}-old`)
        await mkdir(join(directory, 'a'), { recursive: true })
      },
    ],
  ]

  it.each(changes)('are never stale: %s', async (_, path, change) => {
    const area = await cached(nodes)
    await warm(area, path)
    const before = await shown(area, path)
    await change(area.directory)
    const after = await shown(area, path)
    const truth = await uncached(area, path)
    expect(after).toEqual(truth)
    expect(after).not.toEqual(before)
  })

  /** What a storage that keeps nothing says. */
  const uncached = async (area: CachedArea, path: string): Promise<unknown> => {
    const fresh = await cached([], { maxBytes: 1 })
    await rm(fresh.directory, { recursive: true })
    await symlink(area.directory, fresh.directory)
    return shown(fresh, path)
  }

  it('let other work in while the directories of a directory are watched, one by one', async () => {
    const rounds = countTicks()
    const watchedIn: Array<number> = []
    const slowly = (path: string) => {
      if (path !== StoragePath.root) watchedIn.push(rounds.count())
      busyFor(2)
    }
    const directories = ['a', 'b', 'c', 'd', 'e'].map((name): WorldNode => ({ ...emptyDirectory, name }))
    const area = await cached(directories, { events: aroundWatches({ before: slowly }) })
    await warm(area, '/')
    rounds.stop()
    expect(watchedIn).toHaveLength(directories.length)
    expect(new Set(watchedIn).size).toBe(directories.length)
  })

  it('answer for the root of each area, whoever asks for another in the same moment', async () => {
    const { ports, area, other, directory } = await cached([], { otherNodes: [] })
    await utimes(directory, 100, 100)
    await utimes(join(directory, '../other'), 200, 200)
    const nodes = await Promise.all([area, other].map((each) => ports.nodeAt(each, StoragePath.root)()))
    expect(nodes).toEqual([100n, 200n].map((last_modified) => E.right({ type: 'dir', last_modified })))
  })

  it('answer for a node of a cached directory, and never a stale one', async () => {
    const area = await cached(nodes)
    await warm(area, '/a')
    const size = async () => {
      const node = await area.ports.nodeAt(area.area, at('/a/beside'))()
      return E.isRight(node) && node.right.type === 'file' ? node.right.size : node
    }
    expect(await size()).toBe(2n)
    await writeFile(join(area.directory, 'a/beside'), 'longer')
    expect(await size()).toBe(6n)
  })

  it('tell what is not in a cached directory, or no directory, without a look at it, and never a stale one', async () => {
    const area = await cached(nodes)
    await warm(area, '/a')
    const node = async (path: string) => {
      const found = await area.ports.nodeAt(area.area, at(path))()
      return E.isLeft(found) ? found.left.error : found.right.type
    }
    const asked = () => [area.reads(), area.looks()]
    const before = asked()
    expect(await shown(area, '/a/missing')).toBe('file not found')
    expect(await shown(area, '/a/beside')).toBe('type mismatch')
    expect(await node('/a/missing')).toBe('file not found')
    expect(asked()).toEqual(before)
    await mkdir(join(area.directory, 'a/missing'))
    expect(await node('/a/missing')).toBe('dir')
    expect(await shown(area, '/a/missing')).toEqual([])
    expect(await shown(area, '/a/beside/through a file')).toBe('type mismatch')
  })

  it('are not cached when a file in it has another name, by which it is written without event', async () => {
    const area = await cached(nodes)
    await link(join(area.directory, 'a/beside'), join(area.directory, 'other name'))
    await shown(area, '/a')
    await sleep(50)
    await writeFile(join(area.directory, 'other name'), 'longer')
    expect(await shown(area, '/a')).toContainEqual(['beside', 6, expect.any(Number)])
    expect(area.reads()).toBe(2)
  })

  it('are read again in time, for a change without an event', async () => {
    const area = await cached(nodes, { maxMs: 300 })
    await warm(area, '/a')
    await link(join(area.directory, 'a/beside'), join(area.directory, 'other name'))
    await appendFile(join(area.directory, 'other name'), 'more')
    await sleep(600)
    expect(await shown(area, '/a')).toContainEqual(['beside', 6, expect.any(Number)])
  })

  it.each(['/a', '/a/b'])('are read again when the root of the area was locked or unlocked: %s', async (path) => {
    const area = await cached(nodes)
    await warm(area, path)
    const before = area.reads()
    await chmod(area.directory, 0o711)
    await shown(area, path)
    expect(area.reads()).toBe(before + 1)
  })

  /** As the file system tells, and how many directories are watched. */
  const countingWatches = () => {
    const watched = { now: 0 }
    const events = (root: StorageRoot): ChangeEvents => {
      const told = changeEvents(root)
      return {
        ...told,
        watch: (...parameters) =>
          pipe(
            told.watch(...parameters),
            O.map((stop) => {
              watched.now += 1
              return () => {
                watched.now -= 1
                stop()
              }
            }),
          ),
      }
    }
    return { watched, events }
  }

  it('are watched no more when nothing is cached, also when they were read twice', async () => {
    const { watched, events } = countingWatches()
    const area = await cached(nodes, { maxBytes: 1, events })
    // The time of a directory in it moved just now: of that no event would have told.
    await writeFile(join(area.directory, 'a/b/new'), 'x')
    await shown(area, '/a')
    await sleep(50)
    expect([area.reads(), watched.now]).toEqual([2, 0])
  })

  it('are watched no more when they have made room for others', async () => {
    const { watched, events } = countingWatches()
    const directories = ['a', 'b', 'c'].map((name): WorldNode => ({ ...emptyDirectory, name }))
    const area = await cached(directories, { maxBytes: 10_000, events })
    for (const { name } of directories) await warm(area, `/${name}`)
    // The root, through which the last one is reached, and that one itself.
    expect(watched.now).toBe(2)
  })

  it('are watched no more when the storage throws while they are read', async () => {
    const { watched, events } = countingWatches()
    const broken = new Error('broken')
    const area = await cached(nodes, { events, meanwhile: () => Promise.reject(broken) })
    await expect(shown(area, '/a')).rejects.toBe(broken)
    expect(watched.now).toBe(0)
  })

  it('are watched no more when the storage throws while what is in them is looked at', async () => {
    const { watched, events } = countingWatches()
    const area = await cached(nodes, { events, beforeLook: () => Promise.reject(new Error('broken')) })
    await shown(area, '/a')
    await expect.poll(() => watched.now).toBe(0)
  })

  it('are of what stands at the root of the area: of what takes its place without an event, as a mount, nothing is cached', async () => {
    let mounts = 0
    const events = (root: StorageRoot): ChangeEvents => {
      const told = changeEvents(root)
      const rootOf: ChangeEvents['root'] = (area) =>
        pipe(
          told.root(area),
          O.map((seen) => ({ ...seen, identity: `${seen.identity} ${mounts}` })),
        )
      return { ...told, root: rootOf }
    }
    const area = await cached(nodes, { events })
    await warm(area, '/a')
    const before = area.reads()
    mounts += 1
    await shown(area, '/a')
    expect(area.reads()).toBe(before + 1)
  })

  it('are not cached when nothing can be watched', async () => {
    const deaf = { watch: () => O.none, root: () => O.none, covers: () => true }
    const area = await cached(nodes, { events: () => deaf })
    await shown(area, '/a')
    await sleep(50)
    await shown(area, '/a')
    expect(area.reads()).toBe(2)
  })

  it('stay within their bytes: the one least recently asked for goes first', async () => {
    const many = Array.from(
      { length: 20 },
      (_, index): WorldNode => ({
        type: 'dir',
        name: `d${index}`,
        last_modified: 1n,
        content: [{ type: 'file', name: 'f', size: 1n, last_modified: 1n }],
      }),
    )
    const area = await cached(many, { maxBytes: 30_000 })
    for (let index = 0; index < 20; index += 1) await shown(area, `/d${index}`)
    await sleep(50)
    const before = area.reads()
    await shown(area, '/d19')
    expect(area.reads()).toBe(before)
    await shown(area, '/d0')
    expect(area.reads()).toBe(before + 1)
  })
})

const area = areaAt('1')

const file = (name: string): Entry.Entry => ({
  type: 'file',
  name: O.getOrElseW((): never => expect.fail(name))(Name.fromString(name)),
  size: U64.zero,
  last_modified: U64.zero,
})

const costOf = ({ names = [], watches = 0, key = '' }: { names?: Array<string>; watches?: number; key?: string }) => {
  const reading: Reading = {
    place: { area, root: '', path: StoragePath.root },
    key,
    stale: false,
    listing: { entries: names.map(file), unlistable: 0 },
    watches: Array.from({ length: watches }, () => ({ key: '', name: '' })),
  }
  return bytesOf(reading)
}

describe('what a cached listing costs in memory', () => {
  it('grows with its entries', () => {
    expect(costOf({ names: ['a', 'b'] }) - costOf({ names: ['a'] })).toBeGreaterThan(100)
  })

  it('grows with their names, two bytes a character at least', () => {
    expect(costOf({ names: ['n'.repeat(201)] }) - costOf({ names: ['n'] })).toBeGreaterThanOrEqual(400)
  })

  it('grows with its watches, some kilobytes each, and with its key', () => {
    expect(costOf({ watches: 11 }) - costOf({ watches: 1 })).toBeGreaterThanOrEqual(20_000)
    expect(costOf({ key: 'k'.repeat(100) }) - costOf({})).toBeGreaterThanOrEqual(200)
  })
})

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

  it('but not for the time of a file, of which an event tells', async () => {
    const file = { type: 'file', name, size: U64.zero, last_modified: U64.clamp(101n) } as const
    expect(await changedSince(listed(file), began)).toBe(false)
  })
})
