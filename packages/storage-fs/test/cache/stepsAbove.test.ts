import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { temporaryDirectory } from '@canopy/test-support'
import * as E from 'fp-ts/lib/Either.js'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { cachedListings } from '../../src/cache/cachedListings.js'
import { changeEvents } from '../../src/cache/changeEvents.js'
import { fsStorage } from '../../src/fsStorage.js'
import { areaAt, at, rootAt } from '../temporaryArea.js'
import { cachedAreas, eventsWith, nodes, shown, warm } from './cachedArea.js'

const onlyAbove = eventsWith(({ watch }) => ({ watch: (area, path) => watch(area, path, () => undefined) }))

describe.runIf(process.platform === 'linux')('the steps above the root of an area', () => {
  const cached = cachedAreas()

  const warmArea = async (events = changeEvents) => {
    const area = await cached(nodes, { events })
    await warm(area, '/a')
    const before = area.reads()
    const readAgain = async () => {
      await shown(area, '/a')
      return area.reads() - before
    }
    return { directory: area.directory, readAgain }
  }

  const awayAndBack = (directory: string) => {
    renameSync(directory, `${directory}-away`)
    renameSync(`${directory}-away`, directory)
  }

  it('are replaced by the very same directory: listings are read again', async () => {
    for (const events of [changeEvents, onlyAbove])
      for (const replaced of [(directory: string) => directory, dirname]) {
        const { directory, readAgain } = await warmArea(events)
        awayAndBack(replaced(directory))
        expect(await readAgain()).toBe(1)
      }
  })

  it('are those of the real path', async () => {
    const home = temporaryDirectory(onTestFinished)
    const directory = join(home, 'real/area')
    mkdirSync(join(directory, 'a'), { recursive: true })
    symlinkSync('real', join(home, 'link'))
    const steps = changeEvents(rootAt(home)).above(areaAt('link/area')) ?? []
    expect(steps.slice(0, 1)).toEqual([{ directory: '/', name: directory.split('/')[1] }])
    expect(steps.slice(-2)).toEqual([
      { directory: home, name: 'real' },
      { directory: join(home, 'real'), name: 'area' },
    ])
    expect(changeEvents(rootAt(home)).above(areaAt('/'))).toEqual([])
    expect(changeEvents(rootAt(home)).above(areaAt('missing'))).toBe(undefined)
  })

  it('may stay unwatched where no directory can be rolled back', () => {
    const home = temporaryDirectory(onTestFinished)
    const { watchAbove } = changeEvents(rootAt(home), { pin: () => E.left({ error: 'file not found' }) })
    expect(watchAbove('/proc', () => undefined)).toBeDefined()
    expect(watchAbove(join(home, 'missing'), () => undefined)).toBe(undefined)
  })
})

const probe = `image=$(mktemp) && truncate --size=256M "$image" && mkfs.btrfs --quiet "$image" && unshare -m mount -o loop "$image" /mnt
status=$?
rm -f "$image"
exit $status`
const hasBtrfs = spawnSync('sh', ['-c', probe]).status === 0
if (!hasBtrfs)
  console.warn('Rollbacks of btrfs are not tested: that takes root, mkfs.btrfs and a kernel that has btrfs.')

describe.runIf(hasBtrfs)('a subvolume of btrfs that is rolled back', () => {
  let mounted = ''
  const btrfs = (...parameters: ReadonlyArray<string>) =>
    execFileSync('btrfs', ['subvolume', ...parameters], { stdio: 'pipe' })

  beforeEach(() => {
    const home = temporaryDirectory(onTestFinished)
    mounted = join(home, 'mounted')
    mkdirSync(mounted)
    const image = join(home, 'image')
    execFileSync('truncate', ['--size=256M', image])
    execFileSync('mkfs.btrfs', ['--quiet', image])
    execFileSync('mount', ['-o', 'loop', image, mounted])
  })
  afterEach(() => {
    execFileSync('umount', [mounted])
  })

  const namesOf = async (ports: ReturnType<typeof cachedListings>, path: string) => {
    const listed = await ports.list(areaAt('area'), at(path))()
    return E.isRight(listed) ? Array.from(listed.right.entries, ({ name }) => name) : listed.left.error
  }

  it.each([
    ['itself the root of an area', 'area', 'area'],
    ['above the root of an area', 'above', 'above/area'],
  ])('is read again: %s', async (_, subvolume, location) => {
    const path = join(mounted, subvolume)
    const root = rootAt(dirname(join(mounted, location)))
    btrfs('create', path)
    mkdirSync(join(mounted, location, 'a'), { recursive: true })
    writeFileSync(join(mounted, location, 'a/before'), '')
    btrfs('snapshot', path, `${path}-snapshot`)
    writeFileSync(join(mounted, location, 'a/after'), '')
    const ports = cachedListings(fsStorage(root), changeEvents(root), 1 << 26)
    expect(await namesOf(ports, '/a')).toEqual(['after', 'before'])
    await sleep(50)
    await namesOf(ports, '/a')
    expect(ports.figures().hits).toBe(1)
    btrfs('delete', path)
    btrfs('snapshot', `${path}-snapshot`, path)
    expect(await namesOf(ports, '/a')).toEqual(['before'])
  })

  it('is not cached where the directory above it cannot be watched', () => {
    const above = join(mounted, 'above')
    mkdirSync(above)
    chmodSync(above, 0o711)
    const { watchAbove } = changeEvents(rootAt(mounted), { pin: () => E.left({ error: 'file not found' }) })
    expect(watchAbove(above, () => undefined)).toBe(undefined)
  })
})
