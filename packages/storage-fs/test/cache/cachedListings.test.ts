import { execFileSync, spawnSync } from 'node:child_process'
import { appendFileSync, chmodSync, linkSync, mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { StoragePath } from '@canopy/domain'
import { dir, file, storageLaws } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it, onTestFinished } from 'vitest'
import { at } from '../temporaryArea.js'
import { type CachedArea, cachedAreas, eventsWith, nodes, settled, shown, staysCold, warm } from './cachedArea.js'

const withoutRoot = eventsWith(() => ({ root: () => undefined }))
/** The mount ends between the look-up of the root and the read. */
const mountedUntilRead = eventsWith(({ root }) => ({ root: (area) => root({ ...area, isMountPoint: false }) }))

describe('cached listings', () => {
  const cached = cachedAreas()

  it.each(storageLaws)('keep the law: $name', async ({ violations }) => {
    expect(await violations(async (mine, otherNodes) => cached(mine, { otherNodes }))).toEqual([])
  })

  const manyAsk = ({ ports, area }: CachedArea) =>
    Promise.all(Array.from({ length: 100 }, () => ports.list(area, at('/a'))()))

  it('are read once for concurrent requests, also without an identified root', async () => {
    const area = await cached(nodes)
    const rootless = await cached(nodes, { events: withoutRoot, afterRead: () => sleep(20) })
    await Promise.all([manyAsk(area), manyAsk(rootless)])
    expect([area.reads(), rootless.reads()]).toEqual([1, 1])
    writeFileSync(join(rootless.directory, 'a/new'), '')
    expect(await shown(rootless, '/a')).toContainEqual(['new', 0, expect.any(Number)])
  })

  it.each([
    ['that is unmounted before the read', mountedUntilRead],
    ['that has no root', withoutRoot],
  ])('are external for a mount point %s, also beside an ordinary area', async (_, events) => {
    const { ports, area } = await cached(nodes, { events })
    const listed = await Promise.all([area, { ...area, isMountPoint: true }].map((of) => ports.list(of, at('/a'))()))
    expect(listed.map(E.isRight)).toEqual([true, false])
  })

  it.each([
    ['a file is made', '/a', 'echo x > a/new'],
    ['a file is removed', '/a', 'rm a/beside'],
    ['a file is moved away', '/a', 'mv a/beside moved'],
    ['a file is written', '/a', 'echo longer > a/beside'],
    ['a file is cut', '/a', 'truncate -s 1 a/beside'],
    ['a file is touched', '/a', 'touch -d @99 a/beside'],
    ['a file is replaced by a link', '/a', 'ln -sf b a/beside'],
    ['a directory is made', '/a', 'mkdir a/new'],
    ['a directory is touched', '/a', 'touch -d @99 a/b'],
    ['a subdirectory gets an entry, and another time', '/a', 'touch a/b/new'],
    ['the directory itself is removed', '/a/b', 'rm -r a/b'],
    ['the directory itself is renamed', '/a/b', 'mv a/b a/c'],
    ['a directory above it is renamed', '/a/b', 'mv a c'],
    ['a directory above it is replaced', '/a/b', 'mv a old; mkdir -p a/b'],
    ['a directory above it becomes a link', '/a/b', 'mv a old; ln -s old a'],
    ['the root of the area is removed', '/a', 'mv ../area ../gone'],
    ['the root of the area is replaced', '/a', 'mv ../area ../old; mkdir -p ../area/a'],
  ])('are never stale: %s', async (_, path, change) => {
    const area = await cached(nodes)
    await warm(area, path)
    const before = await shown(area, path)
    // Synchronously, so that no event is read before the request.
    execFileSync('sh', ['-c', change], { cwd: area.directory })
    const after = await shown(area, path)
    const truth = await uncached(area, path)
    expect(after).toEqual(truth)
    expect(after).not.toEqual(before)
  })

  const uncached = async (area: CachedArea, path: string): Promise<unknown> => {
    const fresh = await cached([], { maxBytes: 1 })
    rmSync(fresh.directory, { recursive: true })
    symlinkSync(area.directory, fresh.directory)
    return shown(fresh, path)
  }

  it('answer for the root of each of two areas in the same moment', async () => {
    const { ports, area, other, directory } = await cached([], { otherNodes: [] })
    utimesSync(directory, 100, 100)
    utimesSync(join(directory, '../other'), 200, 200)
    const roots = await Promise.all([area, other].map((each) => ports.nodeAt(each, StoragePath.root)()))
    expect(roots).toEqual([100n, 200n].map((last_modified) => E.right({ type: 'dir', last_modified })))
  })

  it('answer nodeAt for nodes, missing names and files, never stale', async () => {
    const area = await cached(nodes)
    await warm(area, '/a')
    const node = async (path: string) => {
      const found = await area.ports.nodeAt(area.area, at(path))()
      if (E.isLeft(found)) return found.left.error
      return found.right.type === 'file' ? found.right.size : 'dir'
    }
    const asked = () => [area.reads(), area.looks()]
    const before = asked()
    expect(await shown(area, '/a/missing')).toBe('file not found')
    expect(await shown(area, '/a/beside')).toBe('type mismatch')
    expect([await node('/a/missing'), await node('/a/beside')]).toEqual(['file not found', 2n])
    expect(asked()).toEqual(before)
    mkdirSync(join(area.directory, 'a/missing'))
    writeFileSync(join(area.directory, 'a/beside'), 'longer')
    expect([await node('/a/missing'), await node('/a/beside')]).toEqual(['dir', 6n])
    expect(await shown(area, '/a/missing')).toEqual([])
    expect(await shown(area, '/a/beside/through a file')).toBe('type mismatch')
  })

  const longer = ['beside', 6, expect.any(Number)]

  it('show a change without an event in time, also while requests continue', async () => {
    const area = await cached(nodes, { options: { maxMs: 300 } })
    await warm(area, '/a')
    linkSync(join(area.directory, 'a/beside'), join(area.directory, 'other name'))
    appendFileSync(join(area.directory, 'other name'), 'more')
    await expect.poll(() => shown(area, '/a'), { interval: 20, timeout: 5_000 }).toContainEqual(longer)
  })

  it('are read again when the root of the area is locked, or replaced without an event', async () => {
    let mounts = 0
    const mounting = eventsWith(({ root }) => ({
      root: (area) => {
        const seen = root(area)
        return seen && { ...seen, identity: `${seen.identity} ${mounts}` }
      },
    }))
    const area = await cached(nodes, { events: mounting })
    for (const path of ['/a', '/a/b'])
      for (const change of [() => chmodSync(area.directory, 0o711), () => (mounts += 1)]) {
        await warm(area, path)
        const before = area.reads()
        change()
        await shown(area, path)
        expect(area.reads()).toBe(before + 1)
      }
  })

  it('are read again within seconds of a mount below the root, and of its end', async (context) => {
    const area = await cached(nodes)
    const below = join(area.directory, 'a/b')
    await warm(area, '/a/b')
    // Not run where this user may not mount.
    if (spawnSync('mount', ['-t', 'tmpfs', 'tmpfs', below]).status !== 0) return context.skip()
    onTestFinished(() => void spawnSync('umount', ['-l', below]))
    await expect.poll(() => shown(area, '/a/b'), { timeout: 10_000 }).toEqual([])
    await warm(area, '/a/b')
    expect(spawnSync('umount', [below]).status).toBe(0)
    await expect.poll(() => shown(area, '/a/b'), { timeout: 10_000 }).toEqual([['file', 1, 12]])
  })

  it('leave no watch when they are not cached, also after a second read', async () => {
    const area = await cached(nodes, { maxBytes: 1 })
    // The time of a directory in it moved just now: no event would have reported that.
    writeFileSync(join(area.directory, 'a/b/new'), 'x')
    await shown(area, '/a')
    await settled(area)
    expect([area.reads(), area.ports.figures().watches]).toEqual([2, 0])
  })

  const broken = () => Promise.reject(new Error('broken'))

  it.each([
    ['during the read', { afterRead: broken }],
    ['during the look at a child', { beforeLook: broken }],
  ])('leave no watch when the storage throws %s', async (_, breaking) => {
    const area = await cached(nodes, breaking)
    const answer = await shown(area, '/a').catch(String)
    expect(answer === 'Error: broken').toBe('afterRead' in breaking)
    await expect.poll(() => area.ports.figures().watches).toBe(0)
  })

  it.each<[string, Parameters<typeof cached>[1]]>([
    ['nothing can be watched', { events: eventsWith(() => ({ watch: () => undefined, watchAbove: () => undefined })) }],
    ['the path to their area is unknown', { events: eventsWith(() => ({ above: () => undefined })) }],
    ['an entry cannot be examined', { altered: (listing) => ({ ...listing, unknown: { names: [], cause: 'EIO' } }) }],
  ])('are not cached when %s', async (_, cachedBy) => {
    const area = await cached(nodes, cachedBy)
    await staysCold(area, '/a')
    expect([area.reads(), area.ports.figures().watches]).toEqual([2, 0])
  })

  it('are not cached when a file has another hard link', async () => {
    const area = await cached(nodes)
    linkSync(join(area.directory, 'a/beside'), join(area.directory, 'other name'))
    await staysCold(area, '/a')
    writeFileSync(join(area.directory, 'other name'), 'longer')
    expect(await shown(area, '/a')).toContainEqual(longer)
  })

  const many = Array.from({ length: 20 }, (_, index) => dir(`d${index}`, file('f')))

  /** Lists each directory. Returns the number of reads. */
  const walk = async (area: CachedArea): Promise<number> => {
    const before = area.reads()
    for (const { name } of many) await shown(area, `/${name}`)
    await settled(area)
    return area.reads() - before
  }

  it('stay within their bytes: the least recently requested is evicted first', async () => {
    const area = await cached(many, { maxBytes: 30_000, options: { recentMs: 0 } })
    await walk(area)
    const before = area.reads()
    await shown(area, '/d19')
    expect(area.reads()).toBe(before)
    await shown(area, '/d0')
    expect(area.reads()).toBe(before + 1)
    expect(area.ports.figures().evictions).toBeGreaterThan(10)
  })

  it('stay while in use: a walk through too many reads only the rest again', async () => {
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

  it('are charged for the length of their paths', async () => {
    const long = 'c'.repeat(200)
    const area = await cached([dir('a'), dir('b'), dir(long)])
    const costOf = async (path: string) => {
      const before = area.ports.figures().bytes
      await warm(area, path)
      return area.ports.figures().bytes - before
    }
    // The others share its watches on the root and above.
    await costOf('/a')
    expect((await costOf(`/${long}`)) - (await costOf('/b'))).toBeGreaterThanOrEqual(400 - 2)
  })

  it('report their hits, misses and memory', async () => {
    const area = await cached(nodes)
    await warm(area, '/a')
    await shown(area, '/a/beside')
    expect(area.ports.figures()).toMatchObject({ hits: 2, misses: 1, evictions: 0 })
    rmSync(join(area.directory, 'a'), { recursive: true })
    await expect.poll(area.ports.figures).toMatchObject({ bytes: 0, watches: 0, listings: 0 })
  })
})
