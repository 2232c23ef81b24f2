import {
  appendFileSync,
  chmodSync,
  linkSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Listing, StoragePath } from '@canopy/domain'
import { busyFor, countTicks } from '@canopy/test-support'
import { storageLaws, type WorldNode } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { type ChangeEvents, changeEvents } from '../src/changeEvents.js'
import type { StorageRoot } from '../src/StorageRoot.js'
import { aroundWatches, type CachedArea, cachedAreas, emptyDirectory, nodes, shown, warm } from './cachedArea.js'
import { at } from './temporaryArea.js'

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

  type Change = (at: (path: string) => string) => void

  const replaceAbove = (at: (path: string) => string) => {
    renameSync(at('a'), at('old'))
    mkdirSync(at('a/b'), { recursive: true })
  }
  const linkAbove = (at: (path: string) => string) => {
    renameSync(at('a'), at('old'))
    symlinkSync('old', at('a'))
  }
  const linkFile = (at: (path: string) => string) => {
    rmSync(at('a/beside'))
    symlinkSync('b', at('a/beside'))
  }
  const replaceRoot = (at: (path: string) => string) => {
    renameSync(at('.'), at('../old'))
    mkdirSync(at('a'), { recursive: true })
  }

  const changes: ReadonlyArray<readonly [string, string, Change]> = [
    ['a file is made', '/a', (at) => writeFileSync(at('a/new'), 'x')],
    ['a file is removed', '/a', (at) => rmSync(at('a/beside'))],
    ['a file is renamed', '/a', (at) => renameSync(at('a/beside'), at('a/renamed'))],
    ['a file is moved away', '/a', (at) => renameSync(at('a/beside'), at('moved'))],
    ['a file is written', '/a', (at) => writeFileSync(at('a/beside'), 'longer than before')],
    ['a file is cut', '/a', (at) => truncateSync(at('a/beside'), 1)],
    ['a file is touched', '/a', (at) => utimesSync(at('a/beside'), 99, 99)],
    ['a file is replaced by a link', '/a', linkFile],
    ['a directory is made', '/a', (at) => mkdirSync(at('a/new'))],
    ['a directory is touched', '/a', (at) => utimesSync(at('a/b'), 99, 99)],
    ['something is made in a directory of it, whose time moves', '/a', (at) => writeFileSync(at('a/b/new'), 'x')],
    ['the directory itself is removed', '/a/b', (at) => rmSync(at('a/b'), { recursive: true })],
    ['the directory itself is renamed', '/a/b', (at) => renameSync(at('a/b'), at('a/c'))],
    ['a directory above it is renamed', '/a/b', (at) => renameSync(at('a'), at('c'))],
    ['a directory above it is replaced', '/a/b', replaceAbove],
    ['a directory above it becomes a link', '/a/b', linkAbove],
    ['the root of the area is removed', '/a', (at) => renameSync(at('.'), at('../gone'))],
    ['the root of the area is replaced', '/a', replaceRoot],
  ]

  it.each(changes)('are never stale: %s', async (_, path, change) => {
    const area = await cached(nodes)
    await warm(area, path)
    const before = await shown(area, path)
    change((path) => join(area.directory, path))
    const after = await shown(area, path)
    const truth = await uncached(area, path)
    expect(after).toEqual(truth)
    expect(after).not.toEqual(before)
  })

  /** What a storage that keeps nothing says. */
  const uncached = async (area: CachedArea, path: string): Promise<unknown> => {
    const fresh = await cached([], { maxBytes: 1 })
    rmSync(fresh.directory, { recursive: true })
    symlinkSync(area.directory, fresh.directory)
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
    utimesSync(directory, 100, 100)
    utimesSync(join(directory, '../other'), 200, 200)
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
    writeFileSync(join(area.directory, 'a/beside'), 'longer')
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
    mkdirSync(join(area.directory, 'a/missing'))
    expect(await node('/a/missing')).toBe('dir')
    expect(await shown(area, '/a/missing')).toEqual([])
    expect(await shown(area, '/a/beside/through a file')).toBe('type mismatch')
  })

  it('are not cached when a file in it has another name, by which it is written without event', async () => {
    const area = await cached(nodes)
    linkSync(join(area.directory, 'a/beside'), join(area.directory, 'other name'))
    await shown(area, '/a')
    await sleep(50)
    writeFileSync(join(area.directory, 'other name'), 'longer')
    expect(await shown(area, '/a')).toContainEqual(['beside', 6, expect.any(Number)])
    expect(area.reads()).toBe(2)
  })

  it('are read again in time, for a change without an event', async () => {
    const area = await cached(nodes, { options: { maxMs: 300 } })
    await warm(area, '/a')
    linkSync(join(area.directory, 'a/beside'), join(area.directory, 'other name'))
    appendFileSync(join(area.directory, 'other name'), 'more')
    await sleep(600)
    expect(await shown(area, '/a')).toContainEqual(['beside', 6, expect.any(Number)])
  })

  it.each(['/a', '/a/b'])('are read again when the root of the area was locked or unlocked: %s', async (path) => {
    const area = await cached(nodes)
    await warm(area, path)
    const before = area.reads()
    chmodSync(area.directory, 0o711)
    await shown(area, path)
    expect(area.reads()).toBe(before + 1)
  })

  /** As the file system tells, and how many directories are watched. */
  const countingWatches = () => {
    const watched = { now: 0 }
    const events = (root: StorageRoot): ChangeEvents => {
      const all = changeEvents(root)
      return {
        ...all,
        // They are watched for other areas too.
        above: () => [],
        watch: (...parameters) => {
          const stop = all.watch(...parameters)
          if (stop === undefined) return undefined
          watched.now += 1
          return () => {
            watched.now -= 1
            stop()
          }
        },
      }
    }
    return { watched, events }
  }

  it('are watched no more when nothing is cached, also when they were read twice', async () => {
    const { watched, events } = countingWatches()
    const area = await cached(nodes, { maxBytes: 1, events })
    // The time of a directory in it moved just now: no event would have reported that.
    writeFileSync(join(area.directory, 'a/b/new'), 'x')
    await shown(area, '/a')
    await sleep(50)
    expect([area.reads(), watched.now]).toEqual([2, 0])
  })

  it('are watched no more when they have made room for others', async () => {
    const { watched, events } = countingWatches()
    const directories = ['a', 'b', 'c'].map((name): WorldNode => ({ ...emptyDirectory, name }))
    const area = await cached(directories, { maxBytes: 9_000, options: { recentMs: 0 }, events })
    for (const { name } of directories) await warm(area, `/${name}`)
    // The root, through which the last one is reached, and that one itself.
    expect(watched.now).toBe(2)
  })

  const broken = () => Promise.reject(new Error('broken'))

  it.each([
    ['while they are read', { meanwhile: broken }],
    ['while what is in them is looked at', { beforeLook: broken }],
  ])('are watched no more when the storage throws %s', async (_, breaking) => {
    const { watched, events } = countingWatches()
    const area = await cached(nodes, { events, ...breaking })
    const answer = await shown(area, '/a').catch(String)
    expect(answer === 'Error: broken').toBe('meanwhile' in breaking)
    await expect.poll(() => watched.now).toBe(0)
  })

  it('are of what is at the root of the area: of what takes its place without an event, as a mount, nothing is cached', async () => {
    let mounts = 0
    const events = (root: StorageRoot): ChangeEvents => {
      const all = changeEvents(root)
      const rootOf: ChangeEvents['root'] = (area) => {
        const seen = all.root(area)
        return seen && { ...seen, identity: `${seen.identity} ${mounts}` }
      }
      return { ...all, root: rootOf }
    }
    const area = await cached(nodes, { events })
    await warm(area, '/a')
    const before = area.reads()
    mounts += 1
    await shown(area, '/a')
    expect(area.reads()).toBe(before + 1)
  })

  it('are not cached when nothing can be watched', async () => {
    const deaf = { watch: () => undefined, above: () => [], watchAbove: () => undefined, root: () => undefined }
    const area = await cached(nodes, { events: () => deaf })
    await shown(area, '/a')
    await sleep(50)
    await shown(area, '/a')
    expect(area.reads()).toBe(2)
  })

  const many = Array.from(
    { length: 20 },
    (_, index): WorldNode => ({
      type: 'dir',
      name: `d${index}`,
      last_modified: 1n,
      content: [{ type: 'file', name: 'f', size: 1n, last_modified: 1n }],
    }),
  )

  /** Asks for each directory, and waits until what can be cached is. How often a directory was read for it. */
  const walk = async (area: CachedArea): Promise<number> => {
    const before = area.reads()
    for (const { name } of many) await shown(area, `/${name}`)
    await sleep(50)
    return area.reads() - before
  }

  it('stay within their bytes: the one least recently asked for goes first', async () => {
    const area = await cached(many, { maxBytes: 30_000, options: { recentMs: 0 } })
    await walk(area)
    const before = area.reads()
    await shown(area, '/d19')
    expect(area.reads()).toBe(before)
    await shown(area, '/d0')
    expect(area.reads()).toBe(before + 1)
    expect(area.ports.figures().evictions).toBeGreaterThan(10)
  })

  it('stay while they are asked for: a walk through more than fits reads only what does not', async () => {
    const refused: Array<string> = []
    const onFull = ({ path }: { readonly path: string }) => void refused.push(path)
    const area = await cached(many, { maxBytes: 70_000, options: { onFull } })
    expect(await walk(area)).toBe(20)
    const uncached = refused.splice(0)
    expect([uncached.length > 0, uncached.length < 15]).toEqual([true, true])
    expect(await walk(area)).toBe(uncached.length)
    expect(refused).toEqual(uncached)
    const { bytes, evictions } = area.ports.figures()
    expect([bytes <= 70_000, evictions]).toEqual([true, 0])
  })

  it('make room once no one has asked for them for a while', async () => {
    const area = await cached(many, { maxBytes: 70_000, options: { recentMs: 200 } })
    await walk(area)
    await sleep(300)
    await warm(area, '/d19')
    expect(area.ports.figures().evictions).toBe(1)
  })

  /** What one more listing takes: watches, and bytes. */
  const costOf = async (area: CachedArea, path: string) => {
    const before = area.ports.figures()
    await warm(area, path)
    const after = area.ports.figures()
    return [after.watches - before.watches, after.bytes - before.bytes] as const
  }
  const withoutAbove = (root: StorageRoot): ChangeEvents => ({ ...changeEvents(root), above: () => [] })

  it('share their watches: a directory is charged once, however many lie below it', async () => {
    const deep: WorldNode = { ...emptyDirectory, name: 'deep', content: many }
    const area = await cached([deep], { events: withoutAbove })
    // The root, `deep` and `d0`; then `d1` alone.
    expect((await costOf(area, '/deep/d0'))[0]).toBe(3)
    const [watches, bytes] = await costOf(area, '/deep/d1')
    expect([watches, bytes < 5_000]).toEqual([1, true])
  })

  it('are charged for their entries and for the length of their paths', async () => {
    const names = ['a', 'b', 'c'.repeat(200), 'd']
    const directories = names.map((name): WorldNode => ({ ...emptyDirectory, name, content: name === 'd' ? many : [] }))
    const area = await cached(directories, { events: withoutAbove })
    await warm(area, '/a')
    const [usual, long] = [await costOf(area, '/b'), await costOf(area, `/${names[2]}`)]
    expect(long[1] - usual[1]).toBeGreaterThanOrEqual(400 - 2)
    const [watches, bytes] = await costOf(area, '/d')
    // A watch on itself, and one on each directory in it.
    expect([watches, bytes > 21 * 3_584 + 20 * 20]).toEqual([21, true])
  })

  it('report how many questions they answered, and what they take', async () => {
    const area = await cached(nodes)
    expect(area.ports.figures()).toEqual({ bytes: 0, watches: 0, hits: 0, misses: 0, evictions: 0 })
    await warm(area, '/a')
    await shown(area, '/a/beside')
    expect(area.ports.figures()).toMatchObject({ hits: 2, misses: 1, evictions: 0 })
    rmSync(join(area.directory, 'a'), { recursive: true })
    await sleep(50)
    expect(area.ports.figures()).toMatchObject({ bytes: 0, watches: 0 })
  })

  it('are read once for all who wait where an area has no root that can be identified', async () => {
    const events = (root: StorageRoot): ChangeEvents => ({ ...changeEvents(root), root: () => undefined })
    const area = await cached(nodes, { events, meanwhile: () => sleep(20) })
    await Promise.all(Array.from({ length: 100 }, () => area.ports.list(area.area, at('/a'))()))
    expect(area.reads()).toBe(1)
    writeFileSync(join(area.directory, 'a/new'), '')
    expect(await shown(area, '/a')).toContainEqual(['new', 0, expect.any(Number)])
  })
})
