import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { link, mkdir, rename, rm, symlink, truncate, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Entry, StoragePath } from '@canopy/domain'
import { fsNotices } from '@canopy/storage-fs'
import { busyFor, countRounds, storageLaws, type WorldNode } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { afterEach, describe, expect, it } from 'vitest'
import type { Notices } from '../src/index.js'
import { gate } from './gate.js'
import { type KeptArea, keptArea } from './keptArea.js'

const at = (text: string): StoragePath.StoragePath => {
  const path = StoragePath.fromString(text)
  if (O.isNone(path)) throw new Error(`no path: ${text}`)
  return path.value
}

const nodes: ReadonlyArray<WorldNode> = [
  {
    type: 'dir',
    name: 'a',
    last_modified: 10n,
    content: [
      {
        type: 'dir',
        name: 'b',
        last_modified: 11n,
        content: [{ type: 'file', name: 'file', size: 1n, last_modified: 12n }],
      },
      { type: 'file', name: 'beside', size: 2n, last_modified: 13n },
    ],
  },
  { type: 'file', name: 'top', size: 3n, last_modified: 14n },
]

const emptyDirectory = { type: 'dir', last_modified: 10n, content: [] } as const

const shown = async ({ ports, area }: KeptArea, path: string): Promise<unknown> => {
  const listed = await ports.list(area, at(path))()
  return E.isLeft(listed)
    ? listed.left.error
    : listed.right.entries.map((entry: Entry.Entry) => [
        entry.name,
        entry.type === 'file' ? Number(entry.size) : 'dir',
        Number(entry.last_modified),
      ])
}

describe('kept listings', () => {
  const areas: Array<KeptArea> = []
  const kept = async (...parameters: Parameters<typeof keptArea>): Promise<KeptArea> => {
    const area = await keptArea(...parameters)
    areas.push(area)
    return area
  }
  afterEach(() => Promise.all(areas.splice(0).map(({ close }) => close())))

  it.each(storageLaws)('keep the law: $name', async ({ violations }) => {
    expect(await violations(async (world) => kept(world))).toEqual([])
  })

  /** Asks until the listing is kept, and a little longer. */
  const warm = async (area: KeptArea, path: string): Promise<void> => {
    await shown(area, path)
    await sleep(50)
    const before = area.reads()
    await shown(area, path)
    expect(area.reads()).toBe(before)
  }

  it('are read once, and shared by everyone who asks', async () => {
    const area = await kept(nodes)
    await warm(area, '/a')
    const before = area.reads()
    const listed = await Promise.all(Array.from({ length: 100 }, () => area.ports.list(area.area, at('/a'))()))
    expect(area.reads()).toBe(before)
    expect(new Set(listed.map((each) => E.isRight(each) && each.right)).size).toBe(1)
  })

  it('are read once for all who ask while they are being read', async () => {
    const area = await kept(nodes)
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
    const area = await kept(nodes)
    await warm(area, path)
    const before = await shown(area, path)
    await change(area.directory)
    const after = await shown(area, path)
    const truth = await keptTruth(area, path)
    expect(after).toEqual(truth)
    expect(after).not.toEqual(before)
  })

  /** What a storage that keeps nothing says. */
  const keptTruth = async (area: KeptArea, path: string): Promise<unknown> => {
    const fresh = await keptArea([], { maxBytes: 1 })
    areas.push(fresh)
    await rm(fresh.directory, { recursive: true })
    await symlink(area.directory, fresh.directory)
    return shown(fresh, path)
  }

  it('are never stale: a directory above it is replaced as soon as it is watched', async () => {
    let isReplaced = false
    const replacing = (root: Parameters<typeof fsNotices>[0]): Notices => {
      const notices = fsNotices(root)
      return {
        ...notices,
        watch: (watched, path, changed) => {
          const stop = notices.watch(watched, path, changed)
          if (path === at('/a/b') && !isReplaced) {
            isReplaced = true
            renameSync(join(area.directory, 'a'), join(area.directory, 'old'))
            mkdirSync(join(area.directory, 'a/b'), { recursive: true })
          }
          return stop
        },
      }
    }
    const area = await kept(nodes, { notices: replacing })
    expect(await shown(area, '/a/b')).toEqual([])
    await warm(area, '/a/b')
    await writeFile(join(area.directory, 'a/b/new'), 'x')
    expect(await shown(area, '/a/b')).toMatchObject([['new', 1, expect.any(Number)]])
  })

  /** What is read is not told before it may be. */
  const heldBack = () => {
    const [hasRead, mayBeTold] = [gate(), gate()]
    const meanwhile = async () => {
      hasRead.open()
      await mayBeTold.opened
    }
    return { meanwhile, hasRead: hasRead.opened, tell: mayBeTold.open }
  }

  it('are never stale: a directory above it is replaced while it is read, and it is asked for again', async () => {
    const { meanwhile, hasRead, tell } = heldBack()
    const area = await kept(nodes, { meanwhile })
    const first = shown(area, '/a/b')
    await hasRead
    renameSync(join(area.directory, 'a'), join(area.directory, 'old'))
    mkdirSync(join(area.directory, 'a/b'), { recursive: true })
    const second = shown(area, '/a/b')
    await sleep(50)
    tell()
    expect(await Promise.all([first, second])).toEqual([[], []])
    await warm(area, '/a/b')
    await writeFile(join(area.directory, 'a/b/new'), 'x')
    expect(await shown(area, '/a/b')).toMatchObject([['new', 1, expect.any(Number)]])
  })

  it('are never stale: the time of a directory moves after it was read, before it is watched', async () => {
    const { meanwhile, hasRead, tell } = heldBack()
    const area = await kept(nodes, { meanwhile })
    const before = shown(area, '/a')
    await hasRead
    await writeFile(join(area.directory, 'a/b/new'), 'x')
    const after = shown(area, '/a')
    await sleep(50)
    tell()
    expect(await before).toContainEqual(['b', 'dir', 11])
    expect(await after).not.toContainEqual(['b', 'dir', 11])
  })

  it('are never stale: another directory stood at the root of the area while one was read', async () => {
    let isSwapped = false
    const swapping = (root: Parameters<typeof fsNotices>[0]): Notices => {
      const notices = fsNotices(root)
      const swap = () => {
        isSwapped = true
        renameSync(area.directory, `${area.directory}-old`)
        mkdirSync(join(area.directory, 'a/other'), { recursive: true })
      }
      return {
        ...notices,
        watch: (watched, path, changed) => {
          if (!isSwapped) swap()
          return notices.watch(watched, path, changed)
        },
      }
    }
    const area = await kept(nodes, { notices: swapping })
    expect(await shown(area, '/a')).toMatchObject([['other', 'dir', expect.any(Number)]])
    await sleep(50)
    await rename(area.directory, `${area.directory}-new`)
    await rename(`${area.directory}-old`, area.directory)
    expect(await shown(area, '/a')).toEqual([
      ['b', 'dir', 11],
      ['beside', 2, 13],
    ])
  })

  it('are read once more, at rest, when something changes while they are read; and that is told', async () => {
    let changes = 0
    const change = async (directory: string) => {
      changes += 1
      await writeFile(join(directory, 'a/beside'), 'x'.repeat(changes))
    }
    const area = await kept(nodes, { meanwhile: change })
    expect(await shown(area, '/a')).toContainEqual(['beside', 1, expect.any(Number)])
    expect(area.reads()).toBe(2)
  })

  it('are read once more, at rest, when something changed in a directory of theirs while they were read', async () => {
    let isChanged = false
    const changing = (root: Parameters<typeof fsNotices>[0]): Notices => {
      const notices = fsNotices(root)
      return {
        ...notices,
        watch: (watched, path, changed) => {
          if (!isChanged) writeFileSync(join(area.directory, 'a/b/new'), 'x')
          isChanged = true
          return notices.watch(watched, path, changed)
        },
      }
    }
    const area = await kept(nodes, { notices: changing })
    expect(await shown(area, '/a')).not.toContainEqual(['b', 'dir', 11])
    expect(area.reads()).toBe(2)
  })

  it('let other work in while the directories of a directory are watched, one by one', async () => {
    const rounds = countRounds()
    const watchedIn: Array<number> = []
    const slowly = (root: Parameters<typeof fsNotices>[0]): Notices => {
      const notices = fsNotices(root)
      return {
        ...notices,
        watch: (area, path, changed) => {
          if (path !== StoragePath.root) watchedIn.push(rounds.count())
          busyFor(2)
          return notices.watch(area, path, changed)
        },
      }
    }
    const directories = ['a', 'b', 'c', 'd', 'e'].map((name): WorldNode => ({ ...emptyDirectory, name }))
    const area = await kept(directories, { notices: slowly })
    await warm(area, '/')
    rounds.stop()
    expect(watchedIn).toHaveLength(directories.length)
    expect(new Set(watchedIn).size).toBe(directories.length)
  })

  it('answer for a node of a kept directory, and never a stale one', async () => {
    const area = await kept(nodes)
    await warm(area, '/a')
    const size = async () => {
      const node = await area.ports.nodeAt(area.area, at('/a/beside'))()
      return E.isRight(node) && node.right.type === 'file' ? node.right.size : node
    }
    expect(await size()).toBe(2n)
    await writeFile(join(area.directory, 'a/beside'), 'longer')
    expect(await size()).toBe(6n)
  })

  it('are not kept when a file in it has another name, by which it is written without notice', async () => {
    const area = await kept(nodes)
    await link(join(area.directory, 'a/beside'), join(area.directory, 'other name'))
    await shown(area, '/a')
    await sleep(50)
    await writeFile(join(area.directory, 'other name'), 'longer')
    expect(await shown(area, '/a')).toContainEqual(['beside', 6, expect.any(Number)])
    expect(area.reads()).toBe(2)
  })

  it('are not kept when nothing can be watched', async () => {
    const deaf = { watch: () => O.none, root: () => O.none, covers: () => true }
    const area = await kept(nodes, { notices: () => deaf })
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
    const area = await kept(many, { maxBytes: 30_000 })
    for (let index = 0; index < 20; index += 1) await shown(area, `/d${index}`)
    await sleep(50)
    const before = area.reads()
    await shown(area, '/d19')
    expect(area.reads()).toBe(before)
    await shown(area, '/d0')
    expect(area.reads()).toBe(before + 1)
  })
})
