import { mkdirSync, renameSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterNextPoll } from '@canopy/scheduling'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { at } from '../temporaryArea.js'
import { aroundWatches, type CachedArea, cachedAreas, nodes, settled, shown, warm } from './cachedArea.js'

describe('listings of a directory that changes during the watch or the read', () => {
  const cached = cachedAreas()
  afterEach(() => void vi.useRealTimers())

  const once = <A>(act: () => A) => {
    let isDone = false
    return (): A | undefined => {
      if (isDone) return undefined
      isDone = true
      return act()
    }
  }

  const replaceAbove = ({ directory }: CachedArea) => {
    renameSync(join(directory, 'a'), join(directory, 'old'))
    mkdirSync(join(directory, 'a/b'), { recursive: true })
  }

  /** The new directory is cached, and never stale either. */
  const isCached = async (area: CachedArea) => {
    await warm(area, '/a/b')
    await writeFile(join(area.directory, 'a/b/new'), 'x')
    expect(await shown(area, '/a/b')).toMatchObject([['new', 1, expect.any(Number)]])
  }

  it('are never stale: a directory above it is replaced as soon as it is watched', async () => {
    const replace = once(() => replaceAbove(area))
    const area = await cached(nodes, {
      events: aroundWatches({ after: (path) => (path === '/a/b' ? replace() : undefined) }),
    })
    expect(await shown(area, '/a/b')).toEqual([])
    await isCached(area)
  })

  /** The listings of a request and of one that follows a change, which is made after the read of the first. */
  const aroundChange = async (path: string, change: (area: CachedArea) => void) => {
    let second: Promise<unknown> | undefined
    const afterRead = once(async () => {
      change(area)
      second = shown(area, path)
      await sleep(50)
    })
    const area = await cached(nodes, { afterRead })
    const first = await shown(area, path)
    return { area, first, second: await second }
  }

  it('are never stale: a directory above is replaced during the read, before another request', async () => {
    const { area, first, second } = await aroundChange('/a/b', replaceAbove)
    expect([first, second]).toEqual([[], []])
    await isCached(area)
  })

  it('are never stale: the time of a directory moves after it was read, before it is watched', async () => {
    const touch = ({ directory }: CachedArea) => writeFileSync(join(directory, 'a/b/new'), 'x')
    const { first, second } = await aroundChange('/a', touch)
    expect(first).toContainEqual(['b', 'dir', 11])
    expect(second).not.toContainEqual(['b', 'dir', 11])
  })

  it('are never stale: the root is another directory during the read', async () => {
    const swap = once(() => {
      renameSync(area.directory, `${area.directory}-old`)
      mkdirSync(join(area.directory, 'a/other'), { recursive: true })
    })
    const area = await cached(nodes, { events: aroundWatches({ before: swap }) })
    expect(await shown(area, '/a')).toMatchObject([['other', 'dir', expect.any(Number)]])
    await sleep(50)
    await rename(area.directory, `${area.directory}-new`)
    await rename(`${area.directory}-old`, area.directory)
    expect(await shown(area, '/a')).toEqual([
      ['b', 'dir', 11],
      ['beside', 2, 13],
    ])
  })

  const lead = (area: CachedArea, to: string) => {
    symlinkSync(`${area.directory}-${to}`, `${area.directory}-link`)
    renameSync(`${area.directory}-link`, area.directory)
  }

  /** Makes the root of the area a link, which leads there or elsewhere. */
  const plant = (area: CachedArea) => {
    renameSync(area.directory, `${area.directory}-there`)
    mkdirSync(`${area.directory}-elsewhere`)
    lead(area, 'there')
  }

  it('are never stale: the root is a link that leads elsewhere during the watch', async () => {
    const area = await cached(nodes.slice(1), {
      events: aroundWatches({
        before: () => lead(area, 'elsewhere'),
        after: () => queueMicrotask(() => lead(area, 'there')),
      }),
    })
    plant(area)
    expect(await shown(area, '/')).toEqual([['top', 3, 14]])
    await sleep(50)
    await writeFile(`${area.directory}-there/new`, 'x')
    expect(await shown(area, '/')).toContainEqual(['new', 1, expect.any(Number)])
  })

  it('are never stale: the root is a link that leads elsewhere during the read', async () => {
    const comeBack = async () => {
      await sleep(50)
      lead(area, 'there')
    }
    const area = await cached(nodes, {
      events: aroundWatches({ after: () => queueMicrotask(() => lead(area, 'elsewhere')) }),
      afterRead: comeBack,
    })
    plant(area)
    expect(await shown(area, '/')).toEqual([])
    await sleep(50)
    expect((await area.ports.nodeAt(area.area, at('/top'))())._tag).toBe('Right')
  })

  it('are never stale: the root is a link that leads elsewhere while a reader resolves it', async () => {
    const swap = once(() => lead(area, 'elsewhere'))
    const beforeRead = async () => {
      await afterNextPoll()
      await afterNextPoll()
      swap()
    }
    const area = await cached(nodes, { beforeRead })
    plant(area)
    expect(await shown(area, '/')).toEqual([])
    await settled(area)
    lead(area, 'there')
    expect(await shown(area, '/')).toContainEqual(['top', 3, 14])
  })

  it('are read again as a snapshot when something changes during the read', async () => {
    let changes = 0
    const change = async (directory: string) => {
      changes += 1
      await writeFile(join(directory, 'a/beside'), 'x'.repeat(changes))
    }
    const area = await cached(nodes, { afterRead: change })
    expect(await shown(area, '/a')).toContainEqual(['beside', 1, expect.any(Number)])
    expect(area.reads()).toBe(2)
  })

  it.each([0, 3_600_000])('are read again when a subdirectory has just changed, by a clock %d ms ahead', async (ms) => {
    const change = once(() => {
      vi.useRealTimers()
      writeFileSync(join(area.directory, 'a/b/new'), 'x')
    })
    const area = await cached(nodes, { events: aroundWatches({ before: change }) })
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms })
    expect(await shown(area, '/a')).not.toContainEqual(['b', 'dir', 11])
    expect(area.reads()).toBe(2)
  })

  it('are never stale where times lie ahead, as after a clock was set back', async () => {
    const area = await cached(nodes)
    const ahead = (seconds: number) => {
      for (const path of ['a', 'a/b', 'a/beside']) utimesSync(join(area.directory, path), seconds, seconds)
    }
    for (const seconds of [15_000_000_000, 5_000_000_000, 15_000_000_000]) {
      ahead(seconds)
      expect(await shown(area, '/a')).toEqual([
        ['b', 'dir', seconds],
        ['beside', 2, seconds],
      ])
      await warm(area, '/a')
    }
    writeFileSync(join(area.directory, 'a/b/new'), 'x')
    expect(await shown(area, '/a')).not.toContainEqual(['b', 'dir', 15_000_000_000])
  })
})
